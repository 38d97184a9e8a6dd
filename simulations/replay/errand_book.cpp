#include "simulations/replay/errand_book.hpp"

#include <algorithm>
#include <iterator>

#include "protocol/http/url.hpp"
#include "protocol/json/scan.hpp"
#include "simulations/replay/json_walk.hpp"
#include "simulations/replay/reporting.hpp"
#include "simulations/replay/retelling.hpp"

namespace gate::replay {
namespace {

/// Of a form: what it is for. Secrets, assertions and what is drawn are in the other fields.
std::string form_words(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    const auto end = std::min(body.find('&'), body.size());
    const auto one = body.substr(0, end);
    const auto name = one.substr(0, one.find('='));
    const bool plain = name == "grant_type" || name == "scope" || name == "resource" ||
                       name == "audience" || name == "client_id";
    out.append(plain ? one : name).append("&");
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

std::string subject_key(std::string_view method, std::string_view url, std::string_view body) {
  return origin_of(url) + ' ' + subject_of(method, body);
}

}  // namespace

std::string origin_of(std::string_view url) {
  const auto parsed = http::parse_url(url);
  return parsed ? parsed->origin() : std::string(url);
}

std::string words_of(std::string_view body) {
  if (body.empty()) return {};
  if (body.front() != '{' && body.front() != '[')
    return body.find('=') == body.npos ? std::string(body) : form_words(body);
  if (body.front() == '{' && body.find("traceparent") == body.npos) {
    patched out(body);
    const auto put = [&out](std::string_view raw) {
      if (!raw.empty() && is_leaf(raw)) out.put(raw, "0");
    };
    const auto drawn = drawn_in(body);
    if (!drawn.method.empty()) put(drawn.id);
    for (const auto raw : {drawn.token, drawn.request, drawn.meta_token}) put(raw);
    return out.text();
  }
  const bool request = !json::member(body, "method").empty();
  return rewrite_json(body,
                      [&](const std::string& path, std::string_view member,
                          std::string_view) -> std::optional<std::string> {
                        const bool drawn = (request && path == "/id") ||
                                           path == "/params/_meta/progressToken" ||
                                           path == "/params/progressToken" ||
                                           path == "/params/requestId" || member == "traceparent";
                        if (!drawn) return {};
                        return "0";
                      });
}

std::string subject_of(std::string_view method, std::string_view body) {
  std::string said;
  if (!json::unquote(json::member(body, "method"), said)) {
    if (json::member(body, "result").empty() && json::member(body, "error").empty())
      return std::string(method);
    return "response";
  }
  const auto params = json::member(body, "params");
  for (const auto name : {"name", "uri", "taskId"})
    if (const auto value = json::member(params, name); value.starts_with('"'))
      return said + ' ' + std::string(value);
  return said;
}

errand_book::errand_book(const tape& of)
    : tape_(of), reports_(reports_of(of)), taken_(of.errands.size()) {
  by_words_.reserve(of.errands.size());
  for (std::size_t i = 0; i < of.errands.size(); ++i) {
    const auto& e = of.events[of.errands[i].fetch];
    const auto body = e.body ? std::string_view(*e.body) : std::string_view{};
    auto& those =
        by_words_[words_key({e.unit, e.method, e.url, e.header_of("Mcp-Session-Id"), body})]
            .waiting[e.unit];
    those.emplace_hint(those.end(), e.at, i);
  }
  // (Whatever is asked for later: these are the recorded ones.)
  for (const auto& [url, canonical] : canonical_) hosts_[origin_of(url)] = true;
}

/// Ports are written or not.
const std::string& errand_book::canonical(std::string_view url) {
  if (const auto it = canonical_.find(url); it != canonical_.end()) return it->second;
  return canonical_.emplace(url, canonical_url(url)).first->second;
}

std::string errand_book::words_key(const asked& a) {
  std::string out(a.method);
  out.append(" ").append(canonical(a.url)).append("\n").append(a.session).append("\n");
  if (reports_to(a.url)) return out;
  return out += words_of(a.body);
}

/// Made when it is needed: where all is as it was, nothing is only alike.
const errand_book::by_subject& errand_book::subjects() {
  if (subjects_) return *subjects_;
  subjects_.emplace();
  for (std::size_t i = 0; i < tape_.errands.size(); ++i) {
    const auto& e = tape_.events[tape_.errands[i].fetch];
    const auto body = e.body ? std::string_view(*e.body) : std::string_view{};
    subjects_->try_emplace(subject_key(e.method, e.url, body), i);
  }
  return *subjects_;
}

/// One of the same unit first: with several, each has its own sessions and lists.
std::optional<std::size_t> errand_book::take_from(line& from, const asked& what) {
  auto& waiting = from.waiting;
  if (waiting.empty()) return {};
  const auto at = what.at.value_or(0);
  std::optional<moment> before, after;
  const auto look = [&](const std::set<moment>& of_unit) {
    const auto middle = of_unit.lower_bound({at, 0});
    if (middle != of_unit.end() && (!after || *middle < *after)) after = *middle;
    if (middle != of_unit.begin() && (!before || *std::prev(middle) > *before))
      before = *std::prev(middle);
  };
  if (const auto own = waiting.find(what.unit); own != waiting.end())
    look(own->second);
  else
    for (const auto& [unit, those] : waiting) look(those);
  const bool earlier = !after || (before && at - before->first <= after->first - at);
  const auto found = earlier ? *before : *after;
  const auto home = waiting.find(tape_.events[tape_.errands[found.second].fetch].unit);
  home->second.erase(found);
  if (home->second.empty()) waiting.erase(home);
  from.taken.push_back(found.second);
  taken_[found.second] = true;
  return found.second;
}

errand_book::match errand_book::take(const asked& what) {
  if (const auto it = by_words_.find(words_key(what)); it != by_words_.end()) {
    if (const auto i = take_from(it->second, what)) return {likeness::same, *i};
    return {likeness::again, it->second.taken.back()};
  }
  const auto alike = subjects().find(subject_key(what.method, what.url, what.body));
  if (alike != subjects().end()) return {likeness::alike, alike->second};
  return {hosts_.contains(origin_of(what.url)) ? likeness::unheard : likeness::nowhere, nothing};
}

std::vector<std::size_t> errand_book::left() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i] && !reports_.contains(canonical_url(tape_.events[tape_.errands[i].fetch].url)))
      out.push_back(i);
  return out;
}

}  // namespace gate::replay
