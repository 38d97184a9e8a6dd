#include "simulations/replay/crossings.hpp"

#include <algorithm>
#include <utility>

#include "protocol/json/scan.hpp"
#include "protocol/recording/shapes.hpp"

namespace gate::replay {
namespace {

using recording::kind;

/// A word takes no longer to ROUTER than this, in µs, unless the machine was asleep.
constexpr std::uint64_t longest_way = 10'000;
/// So many events, takeovers or visits are looked at for one: no gateway has more in that time, and
/// a recording that somebody made up may have all of its lines in it.
constexpr std::size_t most_looked_at = 1024;

bool is_word(const recording::event& e) {
  return e.what == kind::streamed || e.what == kind::fetched;
}

/// Does it say what a server has, not what came of a call?
bool is_news(const tape& of, std::size_t i) {
  const auto& e = of.events[i];
  if (e.what == kind::streamed) return true;
  const auto whose = of.whose[i];
  if (e.what != kind::fetched || whose == nothing) return false;
  const auto& asked = of.events[of.errands[whose].fetch].body;
  if (!asked) return false;
  const auto method = json::member(*asked, "method");
  return method.ends_with("/list\"") || method == "\"initialize\"" ||
         method == "\"server/discover\"";
}

}  // namespace

crossings::crossings(const tape& of, answered is_answered)
    : tape_(of), is_answered_(std::move(is_answered)) {
  for (std::size_t i = 0; i < of.events.size(); ++i)
    if (of.events[i].what == kind::adopted) takeovers_.push_back(i);
}

void crossings::begin(std::size_t first, std::size_t end) {
  if (takeovers_.empty()) return;
  unanswered_.clear();
  const auto adopted = close_behind(first, end);
  if (adopted == nothing) return;
  for (const auto v : waiting_for(adopted))
    if (!is_answered_(v)) unanswered_.push_back(v);
}

void crossings::end(std::size_t first, std::size_t end) {
  if (takeovers_.empty()) return;
  std::vector<std::size_t> now;
  for (const auto v : std::exchange(unanswered_, {}))
    if (is_answered_(v)) now.push_back(v);
  if (!now.empty()) {
    crossing c{close_behind(first, end), {}, std::move(now)};
    for (auto i = first; i < end; ++i)
      if (is_word(tape_.events[i])) c.words.push_back(i);
    found_.push_back(std::move(c));
  }
  for (auto i = first; i < end; ++i) {
    const auto v = tape_.whose[i];
    if (v == nothing || recording::series_of(tape_.events[i].what) == recording::series::fetch)
      continue;
    if (tape_.visits[v].request == i && !tape_.visits[v].was.streaming) open_.insert(v);
    if (tape_.visits[v].over == i || tape_.events[i].what == kind::gone) open_.erase(v);
  }
}

std::size_t crossings::close_behind(std::size_t first, std::size_t end) {
  while (next_ < takeovers_.size() && takeovers_[next_] < end) ++next_;
  const auto& last = tape_.events[end - 1];
  if (std::none_of(tape_.events.begin() + static_cast<std::ptrdiff_t>(first),
                   tape_.events.begin() + static_cast<std::ptrdiff_t>(end), is_word))
    return nothing;
  const auto until = std::min(takeovers_.size(), next_ + most_looked_at);
  for (auto i = next_; i < until; ++i) {
    const auto& e = tape_.events[takeovers_[i]];
    if (e.at > last.at + longest_way) return nothing;
    if (e.unit == last.unit) return takeovers_[i];
  }
  return nothing;
}

std::vector<std::size_t> crossings::waiting_for(std::size_t adopted) const {
  std::vector<std::size_t> out;
  std::size_t looked_at = 0;
  for (auto it = open_.begin(); it != open_.end() && looked_at < most_looked_at; ++it, ++looked_at)
    if (tape_.visits[*it].over != nothing && tape_.visits[*it].over > adopted) out.push_back(*it);
  return out;
}

std::vector<crossing> unseen_crossings(const tape& of) {
  std::vector<crossing> out;
  for (std::size_t i = 0; i < of.events.size(); ++i) {
    const auto& adopted = of.events[i];
    if (adopted.what != kind::adopted) continue;
    crossing c{i, {}, {}};
    const auto first = i - std::min(i, most_looked_at);
    for (auto j = i; j-- > first && of.events[j].at + longest_way >= adopted.at;)
      if (of.events[j].unit == adopted.unit && is_news(of, j)) c.words.push_back(j);
    std::ranges::reverse(c.words);
    if (!c.words.empty()) out.push_back(std::move(c));
  }
  return out;
}

late_words worth_telling_late(const std::vector<crossing>& of,
                              const std::function<bool(std::size_t visit)>& differs_before,
                              const std::function<bool(std::size_t visit)>& differs_after) {
  std::map<std::size_t, std::ptrdiff_t> gain;
  for (const auto& c : of)
    gain[c.adopted] += std::ranges::count_if(c.visits, differs_before) -
                       std::ranges::count_if(c.visits, differs_after);
  late_words out;
  for (const auto& c : of)
    if (gain[c.adopted] >= 0)
      for (const auto word : c.words) out.emplace(word, c.adopted);
  return out;
}

}  // namespace gate::replay
