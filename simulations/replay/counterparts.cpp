#include "simulations/replay/counterparts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "protocol/http/request_gate.hpp"
#include "protocol/json/scan.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

/// Members of answers that hold what the gateway has minted.
constexpr std::array<std::string_view, 5> minted{"nextCursor", "requestState", "access_token",
                                                 "taskId", minted_key};
/// Members of requests in which it is given back.
constexpr std::array<std::string_view, 4> returned{"cursor", "requestState", "taskId", minted_key};
/// When a task that the gateway has made was made, and changed.
constexpr std::array<std::string_view, 2> task_times{"createdAt", "lastUpdatedAt"};
/// Headers that a client gives back.
constexpr std::array<std::string_view, 3> carried{"Mcp-Session-Id", "Last-Event-ID", "Mcp-Name"};
/// Headers that are compared, beside the session's.
constexpr std::array<std::string_view, 5> compared{"Allow", "Cache-Control", "WWW-Authenticate",
                                                   "Location", "MCP-Protocol-Version"};

/// What is shorter is not looked for within a text: it may stand there by chance.
constexpr std::size_t least_of_name = 12;
/// Members of a key that is another in a replay.
constexpr std::array<std::string_view, 4> of_keys{"x", "y", "n", "kid"};

void put_in_place(std::string& text, std::string_view of, std::string_view by) {
  if (of.size() < least_of_name || of == by) return;
  for (auto at = text.find(of); at != text.npos; at = text.find(of, at + by.size()))
    text.replace(at, of.size(), by);
}

bool is_number(std::string_view raw) {
  return !raw.empty() && (raw.front() == '-' || (raw.front() >= '0' && raw.front() <= '9'));
}

/// A time of day in RFC 3339, or a number of anything.
bool is_measure(std::string_view raw) {
  if (is_number(raw)) return true;
  return raw.size() > 20 && raw[0] == '"' && raw[5] == '-' && raw[8] == '-' && raw[11] == 'T';
}

/// The characters of a string; anything else as it is.
std::string plain(std::string_view raw) {
  std::string out;
  if (raw.starts_with('"') && json::unquote(raw, out)) return out;
  return std::string(raw);
}

bool is_minted(const json_pair& p, bool server_request) {
  return std::ranges::find(minted, p.member) != minted.end() || (server_request && p.path == "/id");
}

/// `… retry in 55s`, one second more or less: the seconds that are left depend on when one asks.
bool is_same_wait(std::string_view one, std::string_view other) {
  const auto here = one.find(wait_words), there = other.find(wait_words);
  if (here != there || here == one.npos || one.substr(0, here) != other.substr(0, there))
    return false;
  const auto seconds = [&](std::string_view text) {
    const auto rest = text.substr(here + wait_words.size());
    const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    return std::pair(std::atol(std::string(rest.substr(0, end)).c_str()), rest.substr(end));
  };
  const auto [a, behind] = seconds(one);
  const auto [b, also_behind] = seconds(other);
  return behind == also_behind && std::labs(a - b) <= 1;
}

/// What counts of nothing: how long to wait, as of now; what an endpoint measures.
bool is_passing(const json_pair& p, surface by) {
  if (by == surface::endpoint && p.path.starts_with("/keys/") &&
      std::ranges::find(of_keys, p.member) != of_keys.end())
    return true;
  if (p.path.ends_with("/error/message") && is_same_wait(p.one, p.other)) return true;
  const bool measures = is_measure(p.one) && is_measure(p.other);
  const bool task = std::ranges::find(task_times, p.member) != task_times.end();
  return measures &&
         (task || by == surface::endpoint || p.path.find("/gate/") != std::string::npos);
}

bool asks_client(std::string_view text) {
  return !json::member(text, "method").empty() && !json::member(text, "id").empty();
}

contrast of_pair(const json_pair& p) {
  return {p.path.empty() ? std::string("the whole") : p.path, std::string(p.one),
          std::string(p.other)};
}

/// Is either of them no JSON?
bool opaque(std::string_view one, std::string_view other) {
  constexpr json::limits as_it_is{json::deepest, false};
  return json::validate(one, as_it_is) != json::fault::none ||
         json::validate(other, as_it_is) != json::fault::none;
}

}  // namespace

void counterparts::learn(std::string_view recorded, std::string_view replayed) {
  if (recorded.empty() || replayed.empty()) return;
  known_.insert_or_assign(std::string(recorded), std::string(replayed));
}

std::string_view counterparts::of(std::string_view recorded) const {
  const auto it = known_.find(recorded);
  return it == known_.end() ? recorded : std::string_view(it->second);
}

std::string counterparts::renamed(std::string_view recorded) const {
  std::string out(recorded);
  for (const auto& [was, is] : known_) put_in_place(out, was, is);
  return out;
}

std::string counterparts::restored(std::string_view replayed) const {
  std::string out(replayed);
  for (const auto& [was, is] : known_) put_in_place(out, is, was);
  return out;
}

std::string_view counterparts::header(std::string_view name, std::string_view value) const {
  const bool ours = std::ranges::any_of(
      carried, [&](std::string_view known) { return http::same_name(name, known); });
  return ours ? of(value) : value;
}

std::string counterparts::body(std::string_view text) const {
  if (known_.empty() || text.empty()) return std::string(text);
  const bool answers = json::member(text, "method").empty();
  const auto stands_there = [&](std::string_view name) { return text.find(name) != text.npos; };
  if (!answers && !stands_there(given_keys_of) && std::ranges::none_of(returned, stands_there))
    return std::string(text);
  return rewrite_json(text,
                      [&](const std::string& path, std::string_view member,
                          std::string_view raw) -> std::optional<std::string> {
                        const bool ours = std::ranges::find(returned, member) != returned.end() ||
                                          (answers && path == "/id");
                        if (!ours) return {};
                        const auto said = plain(raw);
                        const auto now = of(said);
                        if (now == said) return {};
                        return raw.starts_with('"') ? json::quoted(now) : std::string(now);
                      });
}

void counterparts::compare_texts(std::string_view recorded, std::string_view replayed, surface by,
                                 contrasts& out) {
  if (recorded == replayed) return;
  if (opaque(recorded, replayed)) {
    out.push_back({"body", std::string(recorded), std::string(replayed)});
    return;
  }
  contrast_json(recorded, replayed, [&](const json_pair& p) {
    if (!is_passing(p, by)) out.push_back(of_pair(p));
  });
}

void counterparts::compare_bodies(std::string_view recorded, std::string_view replayed, surface by,
                                  contrasts& out) {
  if (recorded == replayed) return;
  if (opaque(recorded, replayed)) {
    // Such as metrics, which are all measures.
    if (by == surface::mcp) out.push_back({"body", std::string(recorded), std::string(replayed)});
    return;
  }
  const bool server_request = asks_client(recorded) && asks_client(replayed);
  contrast_json(recorded, replayed, [&](const json_pair& p) {
    if (is_minted(p, server_request) && !p.one.empty() && !p.other.empty())
      return learn(plain(p.one), plain(p.other));
    if (!is_passing(p, by) && renamed(p.one) != p.other) out.push_back(of_pair(p));
  });
}

void counterparts::compare_headers(const told& recorded, const told& replayed, contrasts& out) {
  const auto one = recorded.header_of(carried[0]), other = replayed.header_of(carried[0]);
  if (one.empty() != other.empty())
    out.push_back({"header Mcp-Session-Id", std::string(one), std::string(other)});
  learn(one, other);
  for (const auto name : compared)
    if (const auto a = recorded.header_of(name), b = replayed.header_of(name); a != b)
      out.push_back({"header " + std::string(name), std::string(a), std::string(b)});
  // The seconds that are left depend on when one asks.
  const auto wait = recorded.header_of("Retry-After"), waits = replayed.header_of("Retry-After");
  const auto seconds = [](std::string_view text) { return std::atol(std::string(text).c_str()); };
  if (wait.empty() != waits.empty() || std::labs(seconds(wait) - seconds(waits)) > 1)
    out.push_back({"header Retry-After", std::string(wait), std::string(waits)});
}

void counterparts::compare_streams(const told& recorded, const told& replayed, surface by,
                                   bool whole, contrasts& out) {
  const auto dispatched = [](std::vector<sse::event> all) {
    // Those without data are marks to come back to.
    std::erase_if(all, [](const sse::event& e) { return e.data.empty(); });
    return all;
  };
  const auto one = recorded.events(), other = replayed.events();
  const auto said = dispatched(one), says = dispatched(other);
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    if (one[i].has_id && other[i].has_id) learn(one[i].id, other[i].id);
  for (std::size_t i = 0; i < std::min(said.size(), says.size()); ++i) {
    contrasts within;
    compare_bodies(said[i].data, says[i].data, by, within);
    for (auto& c : within) c.where = "event " + std::to_string(i + 1) + ": " + c.where;
    out.insert(out.end(), within.begin(), within.end());
  }
  if (!whole || said.size() == says.size()) return;
  const auto& longer = said.size() > says.size() ? said : says;
  const auto& extra = longer[std::min(said.size(), says.size())].data;
  out.push_back({"event " + std::to_string(std::min(said.size(), says.size()) + 1),
                 said.size() > says.size() ? extra : std::string{},
                 said.size() > says.size() ? std::string{} : extra});
}

void counterparts::compare(const told& recorded, const told& replayed, surface by, bool whole,
                           contrasts& out) {
  if (recorded.status != replayed.status)
    out.push_back({"status", std::to_string(recorded.status), std::to_string(replayed.status)});
  if (recorded.type != replayed.type) out.push_back({"type", recorded.type, replayed.type});
  if (recorded.dropped != replayed.dropped)
    out.push_back({"dropped", recorded.dropped ? "yes" : "no", replayed.dropped ? "yes" : "no"});
  compare_headers(recorded, replayed, out);
  if (recorded.streaming != replayed.streaming) return;
  if (recorded.streaming) return compare_streams(recorded, replayed, by, whole, out);
  compare_bodies(recorded.body, replayed.body, by, out);
}

}  // namespace gate::replay
