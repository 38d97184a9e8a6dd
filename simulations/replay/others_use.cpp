#include "simulations/replay/others_use.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "actors/fleet/shared_counters.hpp"
#include "actors/fleet/shared_windows.hpp"
#include "actors/fleet/stage_question.hpp"
#include "protocol/fleet/count_names.hpp"
#include "protocol/resp/reader.hpp"
#include "simulations/replay/store_book.hpp"

namespace gate::replay {
namespace {

using recording::kind;

/// A question of a stage and what the store said; or what we had used while it was away, added.
struct answered_question {
  std::size_t by = 0;
  std::uint64_t at = 0;  ///< µs of the recording
  std::vector<std::string> keys, words;
  std::size_t windows = 0;
  fleet::stage_told told;
  bool adds = false;
  bool gives_back = false;
};

/// Whoever has edited the recording: sums of these stay numbers.
constexpr std::int64_t most = 1'000'000'000'000'000;
std::int64_t bounded(std::int64_t n) {
  return std::clamp(n, -most, most);
}

std::int64_t number_of(std::string_view text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return bounded(out);
}

/// A time that clocks can tell, in ms of the Unix epoch; the next centuries will do.
bool is_time(const resp::value& ms) {
  constexpr std::int64_t latest = 9'000'000'000'000;
  return ms.kind() == resp::kind::number && ms.number() >= 0 && ms.number() < latest;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789-") == word.npos;
}

/// Keys, then numbers, behind so many words; nothing: there is something else.
std::optional<answered_question> keys_and_numbers(std::span<const std::string> words) {
  const auto first = std::ranges::find_if(words, is_number);
  if (first == words.begin() || !std::all_of(first, words.end(), is_number)) return {};
  answered_question out;
  out.keys.assign(words.begin(), first);
  out.words.assign(first, words.end());
  return out;
}

/// What a stage asks: how many windows, how many ask; a limit for each window; begin and end of its
/// period and a limit for each budget.
std::optional<answered_question> stage_of(std::span<const std::string> words) {
  auto out = keys_and_numbers(words);
  if (!out || out->words.size() < 2) return {};
  out->windows = static_cast<std::size_t>(std::max<std::int64_t>(number_of(out->words[0]), 0));
  if (out->windows > out->keys.size()) return {};
  const auto budgets = out->keys.size() - out->windows;
  if (out->words.size() != 2 + out->windows + 3 * budgets) return {};
  return out;
}

/// What is added: the end of its period and a sum for each record, behind the name of the whole.
std::optional<answered_question> sums_of(std::span<const std::string> words) {
  if (words.empty()) return {};
  auto out = keys_and_numbers(words.subspan(1));
  if (!out || out->words.size() != 2 * out->keys.size()) return {};
  out->adds = true;
  return out;
}

/// What is given back: in which minute it was counted.
std::optional<answered_question> return_of(std::span<const std::string> words) {
  auto out = keys_and_numbers(words);
  if (!out || out->keys.size() != 1 || out->words.size() != 1) return {};
  out->gives_back = true;
  return out;
}

std::optional<answered_question> question_of(const std::vector<std::string>& words) {
  static const auto stage = resp::make_script(fleet::stage_script());
  static const auto add = resp::make_script(fleet::add_script());
  static const auto back = resp::make_script(fleet::give_back_script());
  if (words.empty()) return {};
  const auto rest = std::span(words).subspan(1);
  if (words.front() == stage->digest) return stage_of(rest);
  if (words.front() == add->digest) return sums_of(rest);
  if (words.front() == back->digest) return return_of(rest);
  return {};
}

/// False: that says nothing of what was used.
bool understand(answered_question& q, const resp::value& said, const fleet::stage_told& before) {
  if (q.adds || q.gives_back) {
    q.told.windows.at = before.windows.at;
    return said.kind() == resp::kind::number && said.number() == 1;
  }
  if (said.kind() != resp::kind::list || said.size() < 2 || !is_time(said.first().next()))
    return false;
  auto told = fleet::read_stage(said, q.windows, q.keys.size() - q.windows);
  if (!told || told->budgets.is == fleet::charge_told::what::another_period) return false;
  q.told = std::move(*told);
  return true;
}

/// All of them, in the order in which the store answered: those of one moment by what it had
/// counted then.
std::vector<answered_question> questions_in(const tape& of) {
  using operation = std::pair<std::uint64_t, std::uint64_t>;
  std::map<operation, answered_question> open;
  std::size_t latest = 0;  ///< request
  std::vector<answered_question> out;
  fleet::stage_told before;
  for (std::size_t i = 0; i < of.events.size(); ++i) {
    const auto& e = of.events[i];
    if (e.what == kind::request) latest = i;
    if (e.what == kind::asked) {
      auto q = question_of(operation_words(e.words));
      if (!q) continue;
      q->by = latest;
      q->at = e.at;
      open.insert_or_assign({e.unit, e.number}, std::move(*q));
    }
    if (e.what != kind::told) continue;
    const auto node = open.extract({e.unit, e.number});
    const auto reply = reply_of(e.reply);
    if (!node || reply.empty()) continue;
    auto& q = node.mapped();
    if (!understand(q, resp::parse(reply)->root(), before)) continue;
    before.windows.at = std::max(before.windows.at, q.told.windows.at);
    out.push_back(std::move(q));
  }
  std::ranges::stable_sort(out, {}, [](const answered_question& q) {
    std::int64_t sum = 0;
    for (const auto& w : q.told.windows.each) sum = bounded(sum + bounded(w.as_counted().current));
    for (const auto used : q.told.budgets.used) sum = bounded(sum + bounded(used));
    return std::tuple(q.told.windows.at, q.adds || q.gives_back, sum);
  });
  return out;
}

/// What a clock of nanoseconds can tell.
constexpr std::int64_t last_second = 9'000'000'000;

/// Of one record, in one minute if it is a window: what we had used, and what others had.
class account {
 public:
  void use(std::int64_t sum) { own_ = bounded(own_ + bounded(sum)); }
  /// All of it: how much more others had used than was known.
  std::int64_t told(std::int64_t all) {
    all = bounded(all);
    if (all < own_) own_ = all, others_ = 0;  // the store has lost its data
    const auto more = std::max<std::int64_t>(all - own_ - others_, 0);
    others_ += more;
    return more;
  }

 private:
  std::int64_t own_ = 0, others_ = 0;
};

class accounts {
 public:
  void on(const answered_question& q) {
    if (q.gives_back) return of(q.keys[0], number_of(q.words[0])).use(-1);
    if (q.adds) {
      for (std::size_t i = 0; i < q.keys.size(); ++i)
        of(q.keys[i], 0).use(number_of(q.words[2 * i + 1]));
      return;
    }
    const auto fit = static_cast<std::int64_t>(q.told.fit);
    for (std::size_t i = 0; i < q.windows; ++i) {
      const auto [minute, current, previous] = q.told.windows.each[i].as_counted();
      of(q.keys[i], minute).use(fit);
      tell(q, i, minute - 1, previous);
      tell(q, i, minute, current);
    }
    for (auto i = q.windows; i < q.keys.size(); ++i) {
      of(q.keys[i], 0).use(fit);
      const auto used = q.told.budgets.used[i - q.windows];
      // Begin, end and limit of each budget stand behind two words and the windows' limits.
      const auto ends = number_of(q.words[2 + q.windows + 3 * (i - q.windows) + 1]);
      const auto until = std::clamp<std::int64_t>(ends, 0, last_second);
      if (const auto more = of(q.keys[i], 0).told(used); more > 0 && is_named(q.keys[i]))
        found.push_back({q.by, q.keys[i], more, {}, until});
    }
  }

  std::vector<use_of_others> found;

 private:
  static bool is_named(const std::string& key) { return fleet::names_a_count(key); }
  account& of(const std::string& key, std::int64_t minute) { return all_[{key, minute}]; }
  void tell(const answered_question& q, std::size_t window, std::int64_t minute,
            std::int64_t counted) {
    const auto more = of(q.keys[window], minute).told(counted);
    if (more > 0 && is_named(q.keys[window]))
      found.push_back({q.by, q.keys[window], more, minute, 0});
  }

  std::map<std::pair<std::string, std::int64_t>, account> all_;
};

}  // namespace

others used_by_others(const tape& of) {
  others out;
  accounts all;
  for (const auto& q : questions_in(of)) {
    all.on(q);
    if (out.clock || q.adds || q.gives_back) continue;
    const std::chrono::microseconds since(q.at);
    out.clock = std::chrono::floor<std::chrono::milliseconds>(
        std::chrono::duration_cast<std::chrono::microseconds>(
            q.told.windows.at.time_since_epoch()) -
        since);
  }
  out.used = std::move(all.found);
  std::ranges::stable_sort(out.used, {}, &use_of_others::by);
  return out;
}

}  // namespace gate::replay
