#include "simulations/recording/story.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits/playback.hpp"
#include "protocol/recording/shapes.hpp"
#include "protocol/sse/parser.hpp"

namespace gate::recording {
namespace {

/// An audit event and the end of its call are not further apart than this, in µs.
constexpr std::uint64_t audit_apart = 1'000'000;
/// Audit events without a call that are kept: calls that end at one time are fewer.
constexpr std::size_t audits_kept = 10'000;

std::string member_text(std::string_view line, std::string_view name) {
  std::string out;
  json::unquote(json::member(line, name), out);
  return out;
}

std::string host_of(std::string_view url) {
  const auto begin = url.find("://");
  const auto rest = begin == std::string_view::npos ? url : url.substr(begin + 3);
  return std::string(rest.substr(0, rest.find_first_of("/?")));
}

/// The name of a tool has its upstream's prefix before the gateway, and none behind it.
bool same_name(std::string_view asked, std::string_view fetched) {
  return asked.empty() || fetched.empty() || asked == fetched || asked.ends_with(fetched) ||
         fetched.ends_with(asked);
}

std::uint64_t apart(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

std::uint64_t end_of(const call& c) {
  return c.at + c.took.value_or(0);
}

/// Is it so long ago that nothing is found any more that belongs to it?
bool is_past(std::uint64_t at, std::uint64_t now) {
  return now > at && now - at > audit_apart;
}

}  // namespace

/// What an audit event says.
struct story::audit_fact {
  std::uint64_t at = 0;
  std::string principal, method, name, upstream, outcome, rule, tenant, error;

  explicit audit_fact(const event& e)
      : at(e.at),
        principal(member_text(e.line, "principal")),
        method(member_text(e.line, "method")),
        name(member_text(e.line, "name")),
        upstream(member_text(e.line, "upstream")),
        outcome(member_text(e.line, "outcome")),
        rule(member_text(e.line, "ruleId")),
        tenant(member_text(e.line, "tenant")),
        error(member_text(e.line, "error")) {}

  /// Can it be of this call, which has ended?
  bool of(const call& c) const {
    if (method == "http") {  // what ended before it was MCP
      if (c.status != 0 && c.status < 300) return false;
    } else if (method != c.method || !(name.empty() || name == c.name)) {
      return false;
    }
    if (!c.principal.empty() && !principal.empty() && principal != c.principal) return false;
    return apart(at, end_of(c)) <= audit_apart;
  }
};

struct story::stream {
  sse::parser parser{limits::playback_line_bytes};
  std::uint64_t events = 0;
  std::string outcome;  ///< of the answer that came on it
};

story::story(std::function<void(call&&)> tell) : tell_(std::move(tell)) {}
story::~story() = default;

void story::begin(const preamble& first) {
  upstreams_.learn(first.config);
}

void story::take(const event& e) {
  counts_.last_at = std::max(counts_.last_at, e.at);
  give_up(e.at);
  switch (e.what) {
    case kind::request:
      return arrived(e);
    case kind::fetch:
      return fetch(e);
    case kind::audit:
      return audit(e);
    case kind::reload:
    case kind::document:
    case kind::stop:
      return operated(e);
    default:
      if (series_of(e.what) == series::request) became(e);
  }
}

void story::arrived(const event& e) {
  open_call c;
  c.call.at = e.at;
  c.call.unit = e.unit;
  c.call.number = e.number;
  c.call.client = e.peer;
  c.call.session = e.header_of("mcp-session-id");
  c.call.method = e.method;
  c.call.name = e.target.substr(0, e.target.find('?'));
  if (!e.flaw.empty()) c.call.error = e.flaw;
  has_body(c, e);
  open_[{e.unit, e.number}] = std::move(c);
}

void story::has_body(open_call& c, const event& e) {
  if (!e.token.empty()) c.call.principal = member_text(json::member(e.token, "claims"), "sub");
  if (!e.body) return;
  c.said = what_was_said(*e.body);
  switch (c.said.how) {
    case speech::request:
    case speech::notification:
    case speech::batch:
      c.call.method = c.said.method;
      c.call.name = c.said.name;
      return;
    case speech::response:
      c.call.method = "response";
      c.call.name = c.said.id;
      return;
    case speech::nothing:
    case speech::other:
      return;
  }
}

void story::became(const event& e) {
  const auto found = open_.find({e.unit, e.number});
  if (found == open_.end()) return;  // its client was gone before
  auto& c = found->second;
  switch (e.what) {
    case kind::body:
      return has_body(c, e);
    case kind::answer:
      c.call.status = e.status;
      if (c.call.session.empty()) c.call.session = e.header_of("mcp-session-id");
      return end(found, e.at,
                 outcome_of_answer(e.status, e.body ? *e.body : std::string(), c.said.id));
    case kind::stream:
      c.call.status = 200;
      if (c.call.session.empty()) c.call.session = e.header_of("mcp-session-id");
      c.stream = std::make_shared<stream>();
      return;
    case kind::sent:
      return sent(c, e);
    case kind::ended: {
      if (!c.stream) return;
      auto outcome = c.stream->outcome;
      if (outcome.empty())
        outcome = c.said.how == speech::request ? "no answer"
                                                : std::to_string(c.stream->events) + " events";
      return end(found, e.at, std::move(outcome));
    }
    case kind::dropped:
      return end(found, e.at, "dropped");
    case kind::gone:
      return end(found, e.at, c.stream && !c.stream->outcome.empty() ? c.stream->outcome : "gone");
    case kind::moved:
      open_.erase(found);  // it arrives anew
      return;
    default:
      return;
  }
}

void story::sent(open_call& c, const event& e) {
  if (!c.stream) return;
  c.stream->parser.feed(e.data, [&c](sse::event&& one) {
    if (one.data.empty()) return;
    ++c.stream->events;
    if (c.said.id.empty() || !c.stream->outcome.empty()) return;
    if (const auto outcome = outcome_of_message(one.data, c.said.id)) c.stream->outcome = *outcome;
  });
}

void story::fetch(const event& e) {
  ++counts_.fetches;
  if (!e.body) return;
  const auto asked = what_was_said(*e.body);
  if (asked.how != speech::request) return;
  open_call* best = nullptr;
  for (auto& [where, c] : open_) {
    if (where.first != e.unit || c.call.method != asked.method) continue;
    if (!same_name(c.call.name, asked.name)) continue;
    // Of several that it could be of, one that has none yet, and the first of them.
    const auto rank = [](const open_call& one) { return std::pair(one.fetched, one.call.at); };
    if (!best || rank(c) < rank(*best)) best = &c;
  }
  if (!best) return;
  best->fetched = true;
  std::string name(upstreams_.of(e.url));
  if (name.empty()) name = host_of(e.url);
  auto& all = best->call.upstreams;
  if (std::ranges::find(all, name) == all.end()) all.push_back(std::move(name));
}

void story::audit(const event& e) {
  ++counts_.audits;
  audit_fact f(e);
  auto best = ended_.end();
  for (auto c = ended_.begin(); c != ended_.end(); ++c)
    if (f.of(*c) && (best == ended_.end() || apart(f.at, end_of(*c)) < apart(f.at, end_of(*best))))
      best = c;
  if (best != ended_.end()) {
    tell_audited(std::move(*best), std::move(f));
    ended_.erase(best);
    return;
  }
  if (audits_.size() == audits_kept) {
    audits_.pop_front();
    ++counts_.strange_audits;
  }
  audits_.push_back(std::move(f));
}

void story::operated(const event& e) {
  if (e.what == kind::document) upstreams_.learn(e.document);
  call c;
  c.at = e.at;
  c.unit = e.unit;
  c.method = row(e.what).name;
  c.operation = true;
  tell_(std::move(c));
}

void story::end(std::map<key, open_call>::iterator c, std::uint64_t at, std::string outcome) {
  auto done = std::move(c->second.call);
  open_.erase(c);
  done.outcome = std::move(outcome);
  done.took = at - std::min(at, done.at);
  const auto told = std::ranges::find_if(audits_, [&done](const auto& f) { return f.of(done); });
  if (told == audits_.end()) {
    ended_.push_back(std::move(done));
    return;
  }
  tell_audited(std::move(done), std::move(*told));
  audits_.erase(told);
}

void story::tell(call&& c) {
  ++counts_.calls;
  ++counts_.outcomes[c.outcome];
  tell_(std::move(c));
}

void story::tell_audited(call&& c, audit_fact&& f) {
  c.audited = true;
  c.outcome = std::move(f.outcome);
  c.rule = std::move(f.rule);
  c.tenant = std::move(f.tenant);
  c.error = std::move(f.error);
  if (c.principal.empty()) c.principal = std::move(f.principal);
  auto& all = c.upstreams;
  if (!f.upstream.empty() && std::ranges::find(all, f.upstream) == all.end())
    all.insert(all.begin(), std::move(f.upstream));
  tell(std::move(c));
}

/// Calls that no audit event will be found for any more are told; and the other way round.
void story::give_up(std::uint64_t now) {
  for (; !ended_.empty() && is_past(end_of(ended_.front()), now); ended_.pop_front())
    tell(std::move(ended_.front()));
  for (; !audits_.empty() && is_past(audits_.front().at, now); audits_.pop_front())
    ++counts_.strange_audits;
}

void story::wait_no_longer() {
  counts_.strange_audits += audits_.size();
  audits_.clear();
  for (auto& c : ended_) tell(std::move(c));
  ended_.clear();
}

void story::finish() {
  wait_no_longer();
  for (auto& [where, c] : open_) {
    const bool answered = c.stream && !c.stream->outcome.empty();
    c.call.outcome = answered ? c.stream->outcome : "open";
    tell(std::move(c.call));
  }
  open_.clear();
}

}  // namespace gate::recording
