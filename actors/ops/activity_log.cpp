#include "actors/ops/activity_log.hpp"

#include <algorithm>

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
  auto& into = e->principal.empty() ? nameless_ : named_;
  into.push_back({latest_, std::move(e), size});
  bytes_ += size;
  while (this->size() > most_ || (bytes_ > most_bytes_ && this->size() > 1)) drop_one();
}

/// Without authentication there are none with a name, and the others have all the room; else they
/// have an eighth of it, and more while nobody needs that.
void activity_log::drop_one() {
  const bool older =
      named_.empty() || (!nameless_.empty() && nameless_.front().seq < named_.front().seq);
  auto& from = older || nameless_.size() > most_ / 8 ? nameless_ : named_;
  bytes_ -= from.front().bytes;
  dropped_ = std::max(dropped_, from.front().seq);
  from.pop_front();
}

std::vector<const activity_log::entry*> activity_log::behind(std::optional<std::uint64_t> since,
                                                             const event_filter& whose) const {
  std::vector<const entry*> out;
  const auto take = [&](const entries& from) {
    auto at = since ? std::ranges::upper_bound(from, *since, {}, &entry::seq) : from.begin();
    for (; at != from.end(); ++at)
      if (shows(whose, *at->event)) out.push_back(&*at);
  };
  take(named_);
  const auto middle = static_cast<std::ptrdiff_t>(out.size());
  if (whose.all) take(nameless_);
  std::ranges::inplace_merge(out, out.begin() + middle, {}, &entry::seq);
  return out;
}

std::string activity_log::page(const read_activity& q) const {
  auto shown = behind(q.since, q.whose);
  const auto most = static_cast<std::ptrdiff_t>(std::min(shown.size(), q.limit));
  if (q.since)
    shown.erase(shown.begin() + most, shown.end());
  else
    shown.erase(shown.begin(), shown.end() - most);
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
  out += R"(],"next":)" + std::to_string(next);
  return out + (q.since && lacks(*q.since) ? R"(,"gap":true})" : "}");
}

activity_log::portion activity_log::behind(std::uint64_t since, const event_filter& whose,
                                           std::size_t limit) const {
  portion out;
  std::size_t missed = 0;
  if (lacks(since)) out.text = "event: missed\ndata: {}\n\n";
  for (const auto* at : behind(since, whose)) {
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
