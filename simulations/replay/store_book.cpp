#include "simulations/replay/store_book.hpp"

#include <algorithm>
#include <utility>

#include "protocol/json/scan.hpp"
#include "protocol/metrics.hpp"

namespace gate::replay {
namespace {

using recording::kind;

bool stands_in(std::string_view word) {
  return word.starts_with("secret:");
}

bool is_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

/// The kind of operation: what it is counted as, its command or script, and how many words it has.
std::string kind_of(std::string_view op, const std::vector<std::string>& words) {
  std::string out(op);
  if (!words.empty()) out += ' ' + words.front();
  return out + ' ' + std::to_string(words.size());
}

store_outcome outcome_named(std::string_view word) {
  const auto at = std::ranges::find(store_outcomes, word);
  return at == store_outcomes.end() ? store_outcome::lost
                                    : static_cast<store_outcome>(at - store_outcomes.begin());
}

/// False: it has stand-ins.
bool append_reply(std::string& out, std::string_view raw) {
  if (raw == "null") return out += "_\r\n", true;
  if (raw == "true" || raw == "false") return out += raw == "true" ? "#t\r\n" : "#f\r\n", true;
  if (raw.starts_with('[')) {
    std::string parts;
    std::size_t count = 0;
    bool told = true;
    json::cursor c(raw, {json::deepest, false});
    json::elements(c, [&](json::cursor& at) {
      told = append_reply(parts, at.value(1)) && told;
      ++count;
    });
    out.append("*").append(std::to_string(count)).append("\r\n").append(parts);
    return told;
  }
  std::string said;
  if (raw.starts_with('{')) {
    json::unquote(json::member(raw, "error"), said);
    out.append("-").append(said).append("\r\n");
    return said.find("secret:") == said.npos;
  }
  if (!raw.starts_with('"')) {
    out.append(":").append(raw).append("\r\n");
    return true;
  }
  json::unquote(raw, said);
  out.append("$").append(std::to_string(said.size())).append("\r\n").append(said).append("\r\n");
  return said.find("secret:") == said.npos;
}

}  // namespace

std::vector<std::string> operation_words(std::string_view recorded) {
  std::vector<std::string> out;
  json::cursor c(recorded, {json::deepest, false});
  json::elements(c, [&](json::cursor& at) { json::unquote(at.value(1), out.emplace_back()); });
  return out;
}

std::string reply_of(std::string_view recorded) {
  std::string out;
  if (recorded.empty() || !append_reply(out, recorded)) return {};
  return out;
}

store_book::store_book(const tape& of) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<one*, std::uint64_t>> open;
  for (const auto& e : of.events) {
    any_ = any_ || e.what == kind::asked || e.what == kind::turned;
    if (e.what == kind::asked) {
      auto words = operation_words(e.words);
      auto& line = all_[kind_of(e.op, words)];
      line.push_back({std::move(words), {store_outcome::lost, {}, {}}});
      open[{e.unit, e.number}] = {&line.back(), e.at};
    }
    if (e.what != kind::told) continue;
    const auto node = open.extract({e.unit, e.number});
    if (!node) continue;
    const auto& [it, asked] = node.mapped();
    it->said = {outcome_named(e.outcome), reply_of(e.reply),
                std::chrono::microseconds(e.at - std::min(asked, e.at))};
  }
}

bool store_book::can_be(const one& it, const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto &was = it.words[i], &is = words[i];
    if (was == is || (is_digits(was) && is_digits(is))) continue;
    if (!stands_in(was)) return false;
    const auto known = known_.find(was), called = called_.find(is);
    if (known != known_.end() ? known->second != is : called != called_.end()) return false;
  }
  return true;
}

std::optional<store_answer> store_book::take(const store_request& what) {
  std::vector<std::string> words;
  if (what.script) words.push_back(what.script->digest);
  for (const auto* all : {&what.keys, &what.words})
    words.insert(words.end(), all->begin(), all->end());
  const auto line = all_.find(kind_of(store_ops[static_cast<std::size_t>(what.op)], words));
  if (line == all_.end()) return {};
  const auto found =
      std::ranges::find_if(line->second, [&](const one& it) { return can_be(it, words); });
  if (found == line->second.end()) return {};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (stands_in(found->words[i])) {
      known_.emplace(found->words[i], words[i]);
      called_.emplace(words[i], found->words[i]);
    }
  auto out = std::move(found->said);
  line->second.erase(found);
  return out;
}

std::size_t store_book::left() const {
  std::size_t out = 0;
  for (const auto& [what, line] : all_) out += line.size();
  return out;
}

}  // namespace gate::replay
