#pragma once
/// The console page of the gateway: its files (assets/ beside this, and those of actors/console),
/// and whom it may talk to, which the configuration says: it signs in at an issuer. Pure; asked by
/// the endpoint of ROUTER. All else that is sent with the files: actors/console/page.hpp.
#include <span>
#include <string>
#include <string_view>

#include "actors/console/page.hpp"
#include "config/document.hpp"
#include "protocol/http/request_gate.hpp"

namespace gate::ops {

/// Is anything there? `path`: of the request, without its query.
bool console_is_there(std::string_view path);

/// The answer for a path that is there.
console::page console_page(std::string_view path, std::span<const http::header> request,
                           const config::document& d);

/// The origin of the issuer to sign in at, which the page asks for a token, as browsers write
/// origins; empty: nobody signs in, or only by pasting.
std::string console_issuer_origin(const config::document& d);

}  // namespace gate::ops
