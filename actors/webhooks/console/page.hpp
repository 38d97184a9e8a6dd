#pragma once
/// The console page of `gate-hooks`: its files (assets/ beside this, and those of actors/console).
/// It talks to its own origin alone. Pure; asked by API for `/console` and what is below it.
#include <optional>
#include <span>
#include <string_view>

#include "actors/console/page.hpp"
#include "protocol/http/request_gate.hpp"

namespace gate::hooks {

/// The answer to a GET; nothing: nothing is there. `path`: of the request, without its query.
std::optional<console::page> console_page(std::string_view path,
                                          std::span<const http::header> request);

}  // namespace gate::hooks
