#pragma once
/// The console page of `gate-hooks`: its files (assets/ beside this, and those of actors/console).
/// It talks to its own origin alone. Pure; asked by API for `/console` and what is below it.
#include <span>
#include <string_view>

#include "actors/webhooks/api_answer.hpp"
#include "protocol/http/request_gate.hpp"
#include "transport/interfaces.hpp"

namespace gate::hooks {

/// What a GET of `/console` and of what is below it is answered; 404 if nothing is there.
api_answer console_page(const http_request& r);
/// The same by what of a request matters.
api_answer console_page(std::string_view path, std::span<const http::header> request);

}  // namespace gate::hooks
