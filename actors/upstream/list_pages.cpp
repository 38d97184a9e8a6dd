#include "actors/upstream/list_pages.hpp"

#include <utility>

#include "protocol/limits.hpp"
#include "protocol/mcp/app_resources.hpp"

namespace gate::upstream {

page_read read_page(work& w, std::string_view raw_result, session_basics& s, list_source from) {
  const auto& config = s.of.config;
  const auto kind = w.list.kind;
  std::size_t skipped = 0;
  auto page = mcp::read_list_page(raw_result, mcp::shape(kind), config.prefix, &skipped);
  if (!page) {
    s.log.failed("answered a list request with something else", page.error().what);
    return page_read::bad;
  }
  if (skipped) s.log.left_out(skipped);
  for (auto& item : page->items) mcp::mint_item(kind, config.space, item);
  if (kind == mcp::list_kind::tools)
    if (const auto no = mcp::stateless::take_rules(page->items, from.era, from.makes_tasks);
        no.count)
      s.log.left_out(no);
  if (w.pages == 0)
    w.rest = std::move(page->rest);
  else
    w.rest.caching.add(page->rest.caching);
  for (auto& item : page->items) {
    w.bytes += item.raw.size();
    if (item.rules) w.bytes += item.rules->wrapped.size();
    w.items.push_back(std::move(item));
  }
  const bool stuck = page->more && page->next_cursor == w.cursor && w.pages > 0;
  if (++w.pages >= limits::list_pages || w.items.size() > limits::list_items ||
      w.bytes > limits::list_bytes || stuck) {
    if (page->more || w.bytes > limits::list_bytes) {
      s.log.failed("lists without end", std::to_string(w.pages) + " pages");
      return page_read::bad;
    }
  }
  if (page->more) {
    w.cursor = std::move(page->next_cursor);
    return page_read::more;
  }
  if (kind == mcp::list_kind::tools && from.era == mcp::era::stateless)
    s.others.tools->learn(w.items, config.prefix.size());
  return page_read::last;
}

page_read read_kept(work& w, session_basics& s) {
  const auto kept = std::exchange(w.list.kept, nullptr);
  const list_source from{kept->era, kept->makes_tasks};
  for (std::size_t i = 0; i < kept->pages.size(); ++i) {
    const auto wanted = i + 1 == kept->pages.size() ? page_read::last : page_read::more;
    if (read_page(w, kept->pages[i], s, from) != wanted) return page_read::bad;
  }
  return page_read::last;
}

}  // namespace gate::upstream
