#pragma once
/// QUERIES: what lists of the API are asked by the query of a URL. Strict: a parameter that is not
/// known, is there twice or says what can not be meant is refused by its name. Pure.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/errors.hpp"
#include "protocol/webhook/ids.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// The parameters of each list, as openapi.hpp describes them.
inline constexpr std::array<std::string_view, 2> webhooks_parameters{"limit", "cursor"};
inline constexpr std::array<std::string_view, 3> deliveries_parameters{"status", "limit", "cursor"};
inline constexpr std::array<std::string_view, 4> dead_parameters{"event", "webhook", "limit",
                                                                 "cursor"};

/// Which part of a list: 1 to `limits::webhook_page_most` elements.
struct page {
  std::size_t limit = limits::webhook_page_usual;
  /// Where the one before ended, as LEDGER counts; nothing: from the start.
  std::optional<std::int64_t> before;
};

checked<page> read_webhooks_query(std::string_view query);

struct deliveries_query {
  std::optional<state> status;
  page part;
};
checked<deliveries_query> read_deliveries_query(std::string_view query);

struct dead_query {
  std::optional<event_type> event;
  std::string webhook;  ///< its id; empty: of all
  page part;
};
checked<dead_query> read_dead_query(std::string_view query);

/// Of calls that take none.
checked<void> read_no_query(std::string_view query);

enum class listing : std::uint8_t { webhooks, deliveries, dead_letters };
/// Cursors are opaque to callers: they say where a list goes on, and are no secret.
std::string cursor_at(listing of, std::int64_t position);
/// Nothing: it is no cursor of such a list.
std::optional<std::int64_t> read_cursor(listing of, std::string_view cursor);

}  // namespace gate::webhook
