#include "actors/pipeline/page.hpp"

#include "protocol/json/scan.hpp"

namespace gate::pipeline {
namespace {

/// Where in this list the cursor (raw; empty: none) points; nothing if it is one of another list.
std::optional<std::uint64_t> offset_in(const mcp::cursor_content& list, std::string_view raw_cursor,
                                       const mcp::cursor_key& key) {
  if (raw_cursor.empty()) return 0;
  std::string text;
  if (!json::unquote(raw_cursor, text)) return {};
  const auto open = mcp::open(text, key);
  if (!open || open->list != list.list || open->digest != list.digest ||
      open->principal != list.principal)
    return {};
  return open->offset;
}

}  // namespace

std::optional<refusal> cut_page(call& c, const mcp::cursor_key& key) {
  const auto list = std::move(c.list);
  auto identity = list->identity();
  const auto from = offset_in(identity, c.message.cursor, key);
  auto page = from ? list->at(*from) : std::nullopt;
  if (!page)
    return refusal{reason::cursor_invalid,
                   "invalid or expired cursor: restart the list from the beginning",
                   {},
                   -1};
  c.partial = list->partial();
  c.caching = list->caching();
  c.has.meta = list->has_meta(*from == 0);
  c.tail.clear();
  if (page->next) {
    identity.offset = *page->next;
    c.tail.append(R"(,"nextCursor":")").append(mcp::seal(identity, key)) += '"';
  }
  c.tail += list->beside(*from == 0);
  c.tail += '}';
  c.result = *page->head;
  c.keep = std::move(page->head);
  c.ticket.notes().items_served = page->count;
  return {};
}

}  // namespace gate::pipeline
