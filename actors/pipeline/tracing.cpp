#include "actors/pipeline/tracing.hpp"

#include <utility>

#include "protocol/base/sha256.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/trace/context.hpp"

namespace gate::pipeline {
namespace {

using traces::server_span;

/// Of a session's id no more than tells it from others: whoever has the id has the session.
constexpr std::size_t digest_bytes = 8;

trace_ptr lines_of(const trace::carried& what) {
  if (what.empty()) return nullptr;
  return std::make_shared<const std::string>(trace::header_lines(what));
}

std::string digest_of(sessions::client_session& s, const sha256& digest) {
  if (s.id.empty()) return {};
  if (s.trace_name.empty())
    s.trace_name = trace::hex(std::span<const std::uint8_t>(digest(s.id)).first(digest_bytes));
  return s.trace_name;
}

/// It is recorded, as `self`.
traces::server_span_ptr record(call& c, desk& d, trace::carried&& named,
                               const std::optional<trace::span_context>& parent,
                               const trace::span_context& self) {
  auto s = std::make_shared<server_span>();
  s->by = d.tracer;
  s->self = self;
  if (parent) s->parent = parent->span;
  s->state = std::move(named.state);
  s->baggage = std::move(named.baggage);
  s->request_id = c.message.id;
  if (c.session) {
    s->session = digest_of(*c.session, d.digest);
    s->version = c.session->version;
  } else {
    for (const auto known : mcp::stateless_versions)
      if (known == c.request().head->version_named) s->version = known;
  }
  if (const auto other = trace::read_parent(named.other)) s->links.push_back(*other);
  return s;
}

/// A text that a part of a question is replaced in, and what its other parts are of.
struct spliced {
  std::string text;
  std::shared_ptr<const void> rest;
};

bool within(std::string_view part, std::string_view whole) {
  return !part.empty() && part.data() >= whole.data() &&
         part.data() + part.size() <= whole.data() + whole.size();
}

/// A server heeds what the params say before what the header says: where they name the parent,
/// they name ours. (Its characters are as many, unless they were written with escapes.)
void say_parent(invoke& q, const trace::span_context& self) {
  const auto theirs = q.meta.empty() ? q.meta : trace::parent_in(q.meta);
  if (theirs.empty()) return;
  const auto written = trace::traceparent(self);
  const auto ours = trace::text_of(written);
  auto& piece = within(theirs, q.first) ? q.first : q.second;
  if (!within(theirs, piece)) return;
  const auto old = piece;
  const auto at = static_cast<std::size_t>(theirs.data() - old.data());
  auto own = std::make_shared<spliced>();
  own->text.reserve(old.size() - theirs.size() + ours.size());
  own->text.append(old.substr(0, at)).append(ours).append(old.substr(at + theirs.size()));
  const auto moved = [&](std::size_t offset) {
    return offset <= at ? offset : offset - theirs.size() + ours.size();
  };
  for (auto* view : {&q.token, &q.meta, &q.arguments, &q.named}) {
    if (!within(*view, old)) continue;
    const auto begin = static_cast<std::size_t>(view->data() - old.data());
    const auto from = moved(begin), to = moved(begin + view->size());
    *view = std::string_view(own->text).substr(from, to - from);
  }
  piece = own->text;
  own->rest = std::move(q.keep);
  q.keep = std::move(own);
}

}  // namespace

void begin_trace(call& c, desk& d, bool bare) {
  const bool plain = bare && c.request().head->plain;
  if (!c.is_request || (plain && !d.tracer)) return;
  auto& notes = c.ticket.notes();
  trace::carried named;
  if (!plain)
    named = trace::read(c.request().headers(), bare ? std::string_view{} : c.message.meta);
  const auto parent = trace::read_parent(named.parent);
  if (parent) notes.trace = parent->trace;
  if (!d.tracer || (parent && !parent->sampled())) {
    c.trace = lines_of(named);
    return;
  }
  auto& ids = d.tracer->ids();
  auto self = parent.value_or(trace::span_context{});
  if (!parent) {
    notes.trace = self.trace = ids.trace();
    self.flags = d.tracer->samples(self.trace) ? trace::sampled_flag : 0;
  }
  self.span = ids.span();
  if (self.sampled()) {
    notes.span = record(c, d, std::move(named), parent, self);
    return;
  }
  // It begins here, and nobody behind us is to decide otherwise.
  c.trace = std::make_shared<const std::string>(
      trace::header_lines(trace::text_of(trace::traceparent(self)), named.state, named.baggage));
}

asked_trace trace_to(const call& c, const config::compiled_upstream& u, std::string_view method) {
  const auto& s = c.ticket.notes().span;
  if (!s) return {c.trace};
  auto span = s->ask(u.id, method);
  auto lines = s->lines(*span);
  return {std::move(lines), std::move(span)};
}

void enter_upstream(call& c, invoke& question) {
  auto to = trace_to(c, *c.upstream, question.method);
  question.trace = std::move(to.lines);
  if (!to.span) return;
  say_parent(question, to.span->self());
  c.ticket.notes().span->upstream = std::move(to.span);
}

void leave_upstream(call& c, const answered& m) {
  const auto& s = c.ticket.notes().span;
  if (!s || !s->upstream) return;
  auto how = traces::end_of(m);
  how.suspended = s->suspends;
  s->answered(how, m.credential.get());
}

void leave_unasked(call& c) {
  const auto& s = c.ticket.notes().span;
  if (const auto open = s ? std::exchange(s->upstream, nullptr) : nullptr) open->never_began();
}

void go_on_upstream(call& c, const trace::span_context& cause, bool works) {
  const auto& s = c.ticket.notes().span;
  if (!s) return;
  s->links.push_back(cause);
  if (!works) return;
  s->upstream = s->ask(c.upstream->id, c.method->name);
  s->upstream->link(cause);
}

void note_wait(const desk& d, const trace::span_context& within,
               const config::compiled_upstream* at, const answered& m) {
  if (d.tracer && m.credential && at && within.sampled())
    traces::add_token_span(*d.tracer, within, {}, at->id, *m.credential);
}

std::optional<trace::span_context> suspend_upstream(call& c) {
  const auto& s = c.ticket.notes().span;
  if (!s) return {};
  s->suspends = true;
  return s->upstream ? s->upstream->self() : s->self;
}

}  // namespace gate::pipeline
