#include "simulations/recording/story.hpp"

#include <algorithm>
#include <iterator>

#include "protocol/json/scan.hpp"
#include "protocol/limits/playback.hpp"
#include "protocol/recording/shapes.hpp"
#include "protocol/sse/parser.hpp"

namespace gate::recording {
namespace {

/// An audit event does not come later than this behind the end of its call, in µs.
constexpr std::uint64_t audit_within = 1'000'000;

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

void add_upstream(call& c, std::string name) {
  if (!name.empty() && std::ranges::find(c.upstreams, name) == c.upstreams.end())
    c.upstreams.push_back(std::move(name));
}

/// What the audit trail says of it. (Of a batch each element has its outcome, and all have one
/// answer.)
void add_audit(call& c, std::string_view line) {
  if (!c.batch) c.outcome = member_text(line, "outcome");
  for (const auto& [to, name] : {std::pair{&c.rule, "ruleId"}, {&c.tenant, "tenant"}})
    if (to->empty()) *to = member_text(line, name);
  if (auto error = member_text(line, "error"); !error.empty()) c.error = std::move(error);
  if (c.principal.empty()) c.principal = member_text(line, "principal");
  add_upstream(c, member_text(line, "upstream"));
  c.audited = true;
}

std::uint64_t end_of(const call& c) {
  return c.at + c.took.value_or(0);
}

/// Is it so long ago that nothing is found any more that belongs to it?
bool is_past(std::uint64_t at, std::uint64_t now) {
  return now > at && now - at > audit_within;
}

}  // namespace

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
  c.call.batch = c.said.how == speech::batch;
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
  const auto of = open_.find({e.unit, e.request});
  if (e.request == 0 || of == open_.end()) return;
  std::string name(upstreams_.of(e.url));
  add_upstream(of->second.call, name.empty() ? host_of(e.url) : std::move(name));
}

void story::audit(const event& e) {
  ++counts_.audits;
  if (const auto of = open_.find({e.unit, e.request}); of != open_.end())
    return add_audit(of->second.call, e.line);
  const auto of = ended_by_number_.find({e.unit, e.request});
  if (of == ended_by_number_.end()) {
    ++counts_.strange_audits;
    return;
  }
  add_audit(*of->second, e.line);
  tell_ended(of->second);
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
  const bool known = done.audited && !done.batch;
  if (!known) done.outcome = std::move(outcome);
  done.took = at - std::min(at, done.at);
  if (known) return tell(std::move(done));
  const key number{done.unit, done.number};
  ended_.push_back(std::move(done));
  ended_by_number_[number] = std::prev(ended_.end());
}

void story::tell(call&& c) {
  ++counts_.calls;
  ++counts_.outcomes[c.outcome];
  tell_(std::move(c));
}

void story::tell_ended(std::list<call>::iterator c) {
  auto done = std::move(*c);
  ended_by_number_.erase({done.unit, done.number});
  ended_.erase(c);
  tell(std::move(done));
}

/// Calls whose audit event will not come any more are told without.
void story::give_up(std::uint64_t now) {
  while (!ended_.empty() && is_past(end_of(ended_.front()), now)) tell_ended(ended_.begin());
}

void story::wait_no_longer() {
  while (!ended_.empty()) tell_ended(ended_.begin());
}

void story::finish() {
  wait_no_longer();
  for (auto& [where, c] : open_) {
    const bool answered = c.stream && !c.stream->outcome.empty();
    if (answered || !c.call.audited) c.call.outcome = answered ? c.stream->outcome : "open";
    tell(std::move(c.call));
  }
  open_.clear();
}

}  // namespace gate::recording
