#pragma once
/// Feeds a reader as a connection does: what it does not consume is offered again, with what came
/// next.
#include <string>
#include <string_view>
#include <vector>

namespace gate::testing {

/// `bytes` in pieces that end at `cuts`. Returns what was left at the end. A reader that wants
/// bytes again and again without progress fails by its caller's time limit. `more`: for its `feed`.
template <class Reader, class... More>
std::string feed_in_pieces(Reader& r, std::string_view bytes, std::vector<std::size_t> cuts,
                           const More&... more) {
  std::string waiting;
  std::size_t from = 0;
  cuts.push_back(bytes.size());
  for (const auto to : cuts) {
    waiting.append(bytes.substr(from, to - from));
    from = to;
    // A buffer of its exact size: reading beyond it is an error that the sanitizer sees.
    const std::vector<char> exact(waiting.begin(), waiting.end());
    if (!r.done()) waiting.erase(0, r.feed({exact.data(), exact.size()}, more...));
  }
  return waiting;
}

/// Every position within `bytes`.
inline std::vector<std::size_t> everywhere(std::string_view bytes) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < bytes.size(); ++i) cuts.push_back(i);
  return cuts;
}

}  // namespace gate::testing
