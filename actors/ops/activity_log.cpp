#include "actors/ops/activity_log.hpp"

#include <algorithm>
#include <vector>

namespace gate::ops {
namespace {

bool shows(const event_filter& f, const audit::event& e) {
  return f.all || (!e.principal.empty() && e.principal == f.subject && e.issuer == f.issuer);
}

/// What an event takes, more or less.
std::size_t size_of(const audit::event& e) {
  return sizeof e + e.principal.size() + e.issuer.size() + e.method.size() + e.name.size() +
         e.upstream.size() + e.owner_org.size() + e.owner_team.size() + e.rule_id.size() +
         e.error.size() + e.tenant.size() + e.usage.size();
}

}  // namespace

void append_activity(std::string& out, std::uint64_t seq, const audit::event& e, bool whole) {
  if (!whole && !(e.owner_org.empty() && e.owner_team.empty())) {
    auto less = e;
    less.owner_org.clear();
    less.owner_team.clear();
    return append_activity(out, seq, less, true);
  }
  std::string line;
  audit::append_line(line, e);
  // `{"time":…}` and LF: the number comes first.
  out += "{\"seq\":" + std::to_string(seq) + ',';
  out.append(line, 1, line.size() - 2);
}

void activity_log::add(event_ptr e, std::chrono::system_clock::time_point now) {
  using namespace std::chrono;
  const auto at = duration_cast<microseconds>(now.time_since_epoch()).count();
  latest_ = std::max(latest_ + 1, static_cast<std::uint64_t>(std::max<std::int64_t>(at, 0)));
  const auto size = size_of(*e);
  entries_.push_back({latest_, std::move(e), size});
  bytes_ += size;
  while (entries_.size() > most_ || (bytes_ > most_bytes_ && entries_.size() > 1)) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
}

activity_log::place activity_log::first_behind(std::uint64_t since) const {
  return std::ranges::upper_bound(entries_, since, {}, &entry::seq);
}

std::string activity_log::page(const read_activity& q) const {
  std::vector<const entry*> shown;
  if (q.since) {
    for (auto at = first_behind(*q.since); at != entries_.end() && shown.size() < q.limit; ++at)
      if (shows(q.whose, *at->event)) shown.push_back(&*at);
  } else {
    for (auto at = entries_.rbegin(); at != entries_.rend() && shown.size() < q.limit; ++at)
      if (shows(q.whose, *at->event)) shown.push_back(&*at);
    std::ranges::reverse(shown);
  }
  std::string out = R"({"events":[)";
  auto next = q.since.value_or(0);
  for (const auto* e : shown) {
    if (next != q.since.value_or(0)) {
      if (out.size() >= limits::activity_answer_bytes) break;
      out += ',';
    }
    append_activity(out, e->seq, *e->event, q.whose.all);
    next = e->seq;
  }
  return out + R"(],"next":)" + std::to_string(next) + "}";
}

activity_log::portion activity_log::behind(std::uint64_t since, const event_filter& whose,
                                           std::size_t limit) const {
  portion out;
  std::size_t missed = 0;
  for (auto at = first_behind(since); at != entries_.end(); ++at) {
    if (!shows(whose, *at->event)) continue;
    if (out.events >= limit || out.text.size() >= limits::activity_answer_bytes) {
      ++missed;
      continue;
    }
    ++out.events;
    out.text += "id: " + std::to_string(at->seq) + "\nevent: audit\ndata: ";
    append_activity(out.text, at->seq, *at->event, whose.all);
    out.text += "\n\n";
  }
  if (missed > 0) out.text += "event: missed\ndata: {\"count\":" + std::to_string(missed) + "}\n\n";
  return out;
}

}  // namespace gate::ops
