// Pages of lists: items stay valid, and without its prefix an item is what the upstream wrote.
#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/list.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  constexpr mcp::list_shape shape{"tools", "name", true};
  constexpr json::limits loose{json::deepest, false};
  const std::string prefix = "n-1\"\\__", escaped = "n-1\\\"\\\\__";
  std::size_t skipped = 0;
  auto plain = mcp::read_list_page(text, shape, "", &skipped);
  auto page = mcp::read_list_page(text, shape, prefix);
  require(plain.has_value() == page.has_value(), "the prefix decides what is valid");
  if (plain.has_error()) {
    require(!plain.error().what.empty(), "a problem without a sentence");
    return 0;
  }
  require(json::validate(text, loose) == json::fault::none, "an invalid page was read");
  require(page->next_cursor.empty() == !page->more, "more without a cursor");
  if (plain->items.size() != page->items.size()) return 0;  // a name too long with its prefix
  for (std::size_t i = 0; i < page->items.size(); ++i) {
    const auto& item = page->items[i];
    const auto& verbatim = plain->items[i];
    require(json::validate(item.raw, loose) == json::fault::none, "an item is not valid");
    require(item.key == prefix + verbatim.key, "a key without its prefix");
    require(item.key.size() <= limits::name_bytes, "a key beyond the bound");
    require(text.find(verbatim.raw) != text.npos, "an item that was not sent");
    std::string name;
    require(json::unquote(json::member(item.raw, "name"), name) && name == item.key,
            "key and name differ");
    auto at = item.raw.size() - verbatim.raw.size() == escaped.size() ? item.raw.find(escaped)
                                                                      : item.raw.npos;
    bool same = false;
    for (; at != item.raw.npos && !same; at = item.raw.find(escaped, at + 1))
      same = item.raw.substr(0, at) + item.raw.substr(at + escaped.size()) == verbatim.raw;
    require(same, "more than the name was touched");
  }
  return 0;
}
