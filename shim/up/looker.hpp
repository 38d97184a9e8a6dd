#pragma once
/// Questions that gate-up asks over HTTP, and what the answers say: is a gate-stdio's server well,
/// which upstreams does the gateway reach, which tools does it list. Pure: it makes fetches and
/// reads bodies; UP sends them.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "transport/interfaces.hpp"

namespace gate::up {

/// GET `url` with the path `/health`, whatever its own path is.
result<fetch_ptr> ask_health(std::uint64_t id, std::string_view url);

/// `tools/list` of MCP 2026-07-28, which needs no session; `cursor` as the page before gave it, raw
/// JSON; empty: the first page.
result<fetch_ptr> ask_tools(std::uint64_t id, std::string_view url, std::string_view cursor);

/// Of the gateway's `/health`: an upstream that does not answer, and why.
struct upstream_state {
  bool connected = false;
  std::string error;
};
std::map<std::string, upstream_state> read_health(std::string_view body);

struct tools_page {
  std::vector<std::string> names;
  std::string cursor;                ///< raw; empty: it was the last page
  bool nobody = false;               ///< no upstream has listed its tools
  std::vector<std::string> missing;  ///< upstreams that have not; others have
};
/// Errors: the answer is one, or none that could be read.
result<tools_page> read_tools(std::string_view body);

}  // namespace gate::up
