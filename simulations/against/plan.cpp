#include "simulations/against/plan.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/recording/shapes.hpp"

namespace gate::against {
namespace {

using recording::event;
using recording::kind;
using recording::speech;

std::size_t size_of(const event& e) {
  auto out = e.target.size() + (e.body ? e.body->size() : 0);
  for (const auto& h : e.headers) out += h.name.size() + h.value.size();
  return out;
}

/// Links exchanges with what they had to wait for.
void link(plan& p) {
  std::map<std::string, std::size_t, std::less<>> named;
  for (std::size_t i = 0; i < p.all.size(); ++i) {
    const auto& x = p.all[i];
    for (const auto* name : {&x.names.cursor, &x.names.task})
      if (!name->empty()) named.emplace(*name, i);
    if (!x.session.empty() && x.end) p.sessions[x.session].push_back(i);
  }
  for (auto& [id, places] : p.sessions)
    std::ranges::stable_sort(places, {}, [&p](std::size_t i) { return *p.all[i].end; });
  for (std::size_t i = 0; i < p.all.size(); ++i) {
    auto& x = p.all[i];
    if (const auto s = p.sessions.find(x.session); s != p.sessions.end())
      x.behind = static_cast<std::size_t>(
          std::ranges::upper_bound(s->second, x.at, {},
                                   [&p](std::size_t o) { return *p.all[o].end; }) -
          s->second.begin());
    const auto m = jsonrpc::read(x.body);
    if (!m) continue;
    for (const auto raw : {m->cursor, m->task_id}) {
      const auto source = raw.empty() ? named.end() : named.find(json::canonical(raw));
      if (source != named.end() && source->second < i) x.needs = source->second;
    }
  }
}

}  // namespace

tokens tokens_of(std::string_view message) {
  const auto result = json::member(message, "result");
  if (result.empty()) return {};
  const auto named = [](std::string_view raw) {
    return raw.starts_with('"') ? json::canonical(raw) : std::string();
  };
  return {named(json::member(result, "nextCursor")),
          named(json::member(json::member(result, "task"), "taskId"))};
}

void planner::has_body(exchange& x, const event& e) {
  if (!e.body) return;
  x.body = *e.body;
  x.said = recording::what_was_said(x.body);
}

std::optional<problem> planner::take(const event& e) {
  if (series_of(e.what) != recording::series::request) return {};
  kept_ += e.what == kind::request || e.what == kind::body ? size_of(e) : 0;
  if (kept_ > most)
    return problem{"its requests are longer than " + std::to_string(most >> 20) +
                   " MiB, which is the most that is sent at once: send a part of it (any number "
                   "of lines from its beginning is a recording)"};
  const key id{e.unit, e.number};
  if (e.what == kind::request) {
    auto& x = open_[id].what;
    x.at = e.at;
    x.method = e.method;
    x.target = e.target;
    x.headers = e.headers;
    x.session = e.header_of("mcp-session-id");
    has_body(x, e);
    if (!e.flaw.empty() || x.method.empty() || !x.target.starts_with('/')) {
      ++plan_.flawed;
      open_.erase(id);
    } else if (!e.header_of("last-event-id").empty()) {
      ++plan_.resumptions;
      open_.erase(id);
    }
    return {};
  }
  const auto found = open_.find(id);
  if (found == open_.end()) return {};
  became(found->second, e);
  switch (e.what) {
    case kind::answer:
    case kind::ended:
    case kind::dropped:
    case kind::gone:
      end(found, e.at);
      break;
    case kind::moved:
      open_.erase(found);  // it arrives anew
      break;
    default:
      break;
  }
  return {};
}

void planner::became(open_exchange& o, const event& e) {
  auto& x = o.what;
  const auto opened = e.header_of("mcp-session-id");
  if (x.session.empty() && !opened.empty()) {
    x.session = opened;
    x.opens = true;
  }
  switch (e.what) {
    case kind::body:
      return has_body(x, e);
    case kind::answer: {
      const auto body = e.body ? *e.body : std::string();
      x.outcome = recording::outcome_of_answer(e.status, body, x.said.id);
      x.names = tokens_of(body);
      return;
    }
    case kind::stream:
      x.streamed = true;
      return;
    case kind::sent:
      o.stream.feed(e.data, [&x](sse::event&& one) {
        if (x.said.id.empty()) return;
        const auto outcome = recording::outcome_of_message(one.data, x.said.id);
        if (!outcome) return;
        x.outcome = *outcome;
        x.names = tokens_of(one.data);
      });
      return;
    case kind::ended:
      if (x.outcome == left_open)
        x.outcome = x.said.how == speech::request ? "no answer" : "stream";
      return;
    case kind::dropped:
      x.outcome = "dropped";
      return;
    case kind::gone:
      // A stream that nobody answers on ends like this: its client has gone.
      if (x.outcome == left_open)
        x.outcome = x.streamed && x.said.how != speech::request ? "stream" : std::string(left);
      return;
    default:
      return;
  }
}

void planner::end(std::map<key, open_exchange>::iterator which, std::uint64_t at) {
  auto x = std::move(which->second.what);
  open_.erase(which);
  x.end = at;
  if (x.said.how == speech::response) {
    ++plan_.responses;
    return;
  }
  plan_.all.push_back(std::move(x));
}

plan planner::finish() && {
  for (auto& [id, o] : open_)
    if (o.what.said.how != speech::response) plan_.all.push_back(std::move(o.what));
  std::ranges::stable_sort(plan_.all, {}, &exchange::at);
  link(plan_);
  return std::move(plan_);
}

}  // namespace gate::against
