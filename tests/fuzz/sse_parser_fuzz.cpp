// A stream gives the same events however it is cut, and what we write is what we read.
#include <string>
#include <vector>

#include "protocol/sse/parser.hpp"
#include "protocol/sse/writer.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

struct outcome {
  std::vector<std::string> events;
  bool broken = false;
  std::uint32_t retry = 0;
  bool operator==(const outcome&) const = default;
};

/// Feeds `text` in pieces of `step` bytes, the first of them `first` bytes long.
outcome parse(std::string_view text, std::size_t first, std::size_t step, std::size_t bound) {
  sse::parser p(bound);
  outcome o;
  for (auto size = first; !text.empty(); size = step) {
    p.feed(text.substr(0, size), [&](sse::event&& e) {
      require(e.data.size() <= bound && e.type.size() <= bound, "an event beyond the bound");
      o.events.push_back(e.type + '\0' + e.data + '\0' + e.id + (e.has_id ? "1" : "0"));
    });
    text.remove_prefix(std::min(size, text.size()));
  }
  o.broken = p.broken();
  o.retry = p.retry_ms().value_or(0);
  return o;
}

void round_trip(std::string_view data, std::string_view id) {
  std::string stream, expected;
  sse::append_event(stream, data, id);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] == '\r' && i + 1 < data.size() && data[i + 1] == '\n') continue;
    expected += data[i] == '\r' ? '\n' : data[i];
  }
  int count = 0;
  sse::parser p(stream.size());
  p.feed(stream, [&](sse::event&& e) {
    ++count;
    require(e.data == expected && e.type == "message", "an event reads differently");
    require(e.id.empty() || e.id == id, "an id reads differently");
  });
  require(count == 1, "not one event");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  auto first = std::size_t{take_byte(text)} + 1, step = std::size_t{take_byte(text)} % 40 + 1;
  std::size_t bound = take_byte(text);
  auto whole = parse(text, text.size() + 1, 1, bound);
  require(whole == parse(text, 1, 1, bound), "byte by byte differs");
  require(whole == parse(text, first, step, bound), "cut differently differs");
  round_trip(text.substr(text.size() / 4), text.substr(0, text.size() / 4));
  return 0;
}
