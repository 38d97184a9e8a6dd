// A store's replies give the same values however they are cut, within their bounds; each lies in
// the bytes that it was made of, and its parts are as many as it says. The URL of a store gives no
// word of itself away when it is refused.
#include <string>
#include <vector>

#include "protocol/resp/reader.hpp"
#include "protocol/resp/store_url.hpp"
#include "tests/fuzz/support.hpp"
#include "tests/support/resp_text.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

struct outcome {
  std::vector<std::string> values;
  std::string why;
  bool operator==(const outcome&) const = default;
};

/// Walks a value by its places, and requires that it ends where it says.
const char* walk(const resp::value& v, std::size_t depth, const resp::bounds& most) {
  require(depth <= most.depth, "deeper than it may be");
  if (v.size() == 0) return v.text().data();
  auto part = v.first();
  for (std::size_t i = 0; i < v.size(); ++i) {
    walk(part, depth + 1, most);
    if (i + 1 < v.size()) part = part.next();
  }
  return nullptr;
}

outcome read(std::string_view text, std::size_t first, std::size_t step, const resp::bounds& most) {
  resp::reader r(most);
  outcome out;
  for (auto size = first; !text.empty(); size = step) {
    r.take(text.substr(0, size));
    while (const auto v = r.next()) {
      walk(*v, 0, most);
      out.values.push_back(resp::shown(*v));
      const resp::reply kept(*v);
      require(resp::shown(kept.root()) == out.values.back(), "a copy differs");
    }
    require(r.held() <= most.bytes + most.line + size + 64, "more is kept than one reply");
    text.remove_prefix(std::min(size, text.size()));
  }
  out.why = r.why();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  const auto first = std::size_t{take_byte(text)} + 1;
  const auto step = std::size_t{take_byte(text)} % 40 + 1;
  const resp::bounds most{.bytes = 4096, .elements = 256, .depth = 4, .line = 256};
  const auto whole = read(text, text.size() + 1, 1, most);
  require(whole == read(text, 1, 1, most), "byte by byte differs");
  require(whole == read(text, first, step, most), "cut differently differs");
  const auto url = resp::parse_store_url(text);
  if (url) {
    require(url->how == resp::store_url::way::local ? !url->path.empty() : !url->host.empty(),
            "a store that is nowhere");
    require(url->password.size() < 8 || url->place().find(url->password) == std::string::npos ||
                url->host.find(url->password) != std::string::npos ||
                url->path.find(url->password) != std::string::npos,
            "the place names the password");
  }
  return 0;
}
