#pragma once
/// What `GET /console` and what is below it answer: the files of the page, with the headers that
/// keep a browser from doing anything else with them. Pure; asked by the endpoint of ROUTER. The
/// files are public: they hold nothing of the configuration but the origin of the issuer, which
/// `/api/auth-hint` tells as well.
#include <span>
#include <string>
#include <string_view>

#include "config/document.hpp"
#include "protocol/http/request_gate.hpp"

namespace gate::console {

struct page {
  int status = 200;
  std::string_view type;
  std::string headers;  ///< lines, each ending in CRLF
  std::string_view body;
};

/// Is anything there? `path`: of the request, without its query.
bool is_there(std::string_view path);

/// The answer for a path that is there. `/console` leads to `/console/`, for the page names its
/// files relative to that. `If-None-Match` (RFC 9110 §13.1.2) gets 304, `Accept-Encoding` gzip.
page answer(std::string_view path, std::span<const http::header> request,
            const config::document& d);

/// The origins that the page may talk to: its own, and that of the issuer to sign in at, which it
/// asks for a token; nobody else's.
std::string content_policy(const config::document& d);

/// Does an Accept-Encoding value take gzip (RFC 9110 §12.5.3)? Nothing said: no.
bool takes_gzip(std::string_view accept_encoding);

}  // namespace gate::console
