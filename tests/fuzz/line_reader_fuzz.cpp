// A child's output gives the same lines however it is cut; none is longer than the bound, and none
// has a line feed.
#include <string>
#include <vector>

#include "protocol/stdio/line_reader.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

struct outcome {
  std::vector<std::string> lines;
  std::size_t too_long = 0;
  bool operator==(const outcome&) const = default;
};

/// Feeds `text` in pieces of `step` bytes, the first of them `first` bytes long.
outcome read(std::string_view text, std::size_t first, std::size_t step, std::size_t most,
             stdio::beyond what) {
  stdio::line_reader r(most, what);
  outcome o;
  const auto take = [&](std::string line) {
    require(!line.empty() && line.size() <= most, "a line beyond the bound");
    require(line.find('\n') == line.npos, "a line feed in a line");
    o.lines.push_back(std::move(line));
  };
  for (auto size = first; !text.empty(); size = step) {
    r.feed(text.substr(0, size), take);
    require(r.held() <= most + 1, "more is kept than a line");
    text.remove_prefix(std::min(size, text.size()));
  }
  r.finish(take);
  o.too_long = r.take_too_long();
  return o;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  const auto first = std::size_t{take_byte(text)} + 1;
  const auto step = std::size_t{take_byte(text)} % 40 + 1;
  const auto most = std::size_t{take_byte(text)} % 64 + 1;
  for (auto what : {stdio::beyond::drop, stdio::beyond::cut}) {
    const auto whole = read(text, text.size() + 1, 1, most, what);
    require(whole == read(text, 1, 1, most, what), "byte by byte differs");
    require(whole == read(text, first, step, most, what), "cut differently differs");
  }
  const auto line = stdio::to_line(text);
  require(line.size() == text.size() + 1 && line.find('\n') == text.size(), "not one line");
  return 0;
}
