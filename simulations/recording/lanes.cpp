#include "simulations/recording/lanes.hpp"

#include <algorithm>
#include <future>
#include <system_error>
#include <thread>

#include "protocol/recording/parse.hpp"

namespace gate::recording {
namespace {

/// A thread is not worth it for fewer lines.
constexpr std::size_t least_lines = 64;

}  // namespace

lanes::lanes(std::size_t most)
    : memos_(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most)) {}

std::span<const result<ending>> lanes::parse(std::span<const std::string_view> lines,
                                             std::span<event* const> places) {
  said_.assign(lines.size(), ending::none);
  const auto run = [&](std::size_t from, std::size_t to, header_memo& memo) {
    for (auto i = from; i < to; ++i) said_[i] = parse_line(lines[i], *places[i], memo);
  };
  const auto count = std::clamp<std::size_t>(lines.size() / least_lines, 1, memos_.size());
  const auto bound = [&](std::size_t lane) { return lines.size() * lane / count; };
  std::vector<std::future<void>> others;
  std::size_t alone_from = lines.size();
  for (std::size_t i = 1; i < count; ++i) {
    try {
      others.push_back(
          std::async(std::launch::async, [&, i] { run(bound(i), bound(i + 1), memos_[i]); }));
    } catch (const std::system_error&) {
      // No further thread can be had: the caller's does the rest.
      alone_from = bound(i);
      break;
    }
  }
  run(0, bound(1), memos_[0]);
  run(alone_from, lines.size(), memos_[0]);
  for (auto& one : others) one.get();  // what one has thrown is thrown here
  return said_;
}

}  // namespace gate::recording
