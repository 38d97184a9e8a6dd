#pragma once
/// What viewers ask by the query of a URL (docs/introspection.md). Strict: a parameter that is not
/// known, is there twice or says what can not be meant is refused, with a sentence that names it.
/// Pure; read by ROUTER before anything is done for the request.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/limits.hpp"

namespace gate::introspection {

/// Of a request's target, what is behind `?`; empty: nothing.
constexpr std::string_view query_of(std::string_view target) {
  const auto at = target.find('?');
  return at == target.npos ? std::string_view{} : target.substr(at + 1);
}

/// `since` and `limit` of `/api/activity`.
struct activity_query {
  std::optional<std::uint64_t> since;  ///< nothing: the newest
  std::size_t limit = limits::activity_usual;
};
result<activity_query> read_activity_query(std::string_view query);

/// `method` and `name` of `/api/explain`. There is a name if the method, should it be one of MCP,
/// needs one, and else none.
struct explain_query {
  std::string method, name;
};
result<explain_query> read_explain_query(std::string_view query);

/// `/api/federation` takes none.
result<void> read_no_query(std::string_view query);

/// A whole number in decimal digits, below 2^63. Nothing: it is none.
std::optional<std::uint64_t> read_number(std::string_view text);

}  // namespace gate::introspection
