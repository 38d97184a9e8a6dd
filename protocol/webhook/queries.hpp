#pragma once
/// QUERIES: what lists of the API are asked by the query of a URL. Strict: a parameter that is not
/// known, is there twice or says what can not be meant is refused by its name. Pure.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/errors.hpp"
#include "protocol/webhook/ids.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// Which part of a list: 1 to `limits::webhook_page_most` elements.
struct page {
  std::size_t limit = limits::webhook_page_usual;
  std::string behind;  ///< the id of the last one that was shown; empty: from the start
};

/// `limit`, `cursor`
checked<page> read_webhooks_query(std::string_view query);

/// `status`, `limit`, `cursor`
struct deliveries_query {
  std::optional<state> status;
  page part;
};
checked<deliveries_query> read_deliveries_query(std::string_view query);

/// `event`, `webhook`, `limit`, `cursor`
struct dead_query {
  std::optional<event_type> event;
  std::string webhook;  ///< its id; empty: of all
  page part;
};
checked<dead_query> read_dead_query(std::string_view query);

/// Of calls that take none.
checked<void> read_no_query(std::string_view query);

/// Cursors are opaque to callers: they say behind which id a list goes on, and are no secret.
std::string cursor_behind(std::string_view id);
/// Nothing: it is no cursor of a list of that kind.
std::optional<std::string> read_cursor(id_kind k, std::string_view cursor);

}  // namespace gate::webhook
