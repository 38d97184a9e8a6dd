#pragma once
/// What `GET /console` and what is below it answer: the files of a page, with the headers that keep
/// a browser from doing anything else with them. Pure; asked by whoever answers HTTP, of the
/// gateway and of `gate-hooks`, each with the files of its own page. The files are public: they
/// hold nothing of what the operator has said.
#include <span>
#include <string>
#include <string_view>

#include "actors/console/asset.hpp"
#include "protocol/http/request_gate.hpp"

namespace gate::console {

struct page {
  int status = 200;
  std::string_view type;
  std::string headers;  ///< lines, each ending in CRLF
  std::string_view body;
};

/// Is anything there? `path`: of the request, without its query.
bool is_there(files of, std::string_view path);

/// The answer for a path that is there. `/console` leads to `/console/`, for pages name their files
/// relative to that. `If-None-Match` (RFC 9110 §13.1.2) gets 304, `Accept-Encoding` gzip.
/// `further`: as `policy_with` takes it.
page answer(files of, std::string_view path, std::span<const http::header> request,
            std::string_view further = {});

/// The Content-Security-Policy: the page may talk to its own origin, and to this one, if it is not
/// empty. It is written as it is: whoever gives it has read it.
std::string policy_with(std::string_view further);

/// Does an Accept-Encoding value take gzip (RFC 9110 §12.5.3)? Nothing said: no.
bool takes_gzip(std::string_view accept_encoding);

}  // namespace gate::console
