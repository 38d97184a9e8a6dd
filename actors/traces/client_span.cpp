#include "actors/traces/client_span.hpp"

#include <charconv>
#include <utility>

#include "protocol/json/scan.hpp"

namespace gate::traces {
namespace {

constexpr std::string_view ok = "ok", error = "error", limited = "rate_limited",
                           open = "circuit_open", exhausted = "budget_exhausted";

client_end unanswered(no_answer why) {
  return {why == no_answer::circuit_open ? open : error, {0, false, to_string(why)}};
}

}  // namespace

int code_of(std::string_view raw_error) {
  const auto raw = json::member(raw_error, "code");
  int out = 0;
  std::from_chars(raw.data(), raw.data() + raw.size(), out);
  return out;
}

client_end end_of(const refusal& why) {
  switch (why.why) {
    case reason::upstream_rate_limited:
      return {limited};
    case reason::budget_exhausted:
      return {exhausted};
    case reason::upstream_down:
      return {open};  // whoever refuses because of that is its breaker
    default:
      return {error};
  }
}

client_end end_of(const answered& m) {
  if (m.refused) return end_of(*m.refused);
  switch (m.what) {
    case answer::result:
      return {ok, {0, m.has.failed, {}}};
    case answer::error:
      return {ok, {code_of(m.payload)}};
    case answer::down:
      break;
  }
  return unanswered(m.why);
}

client_end end_of(const listed& m) {
  if (m.refused) return end_of(*m.refused);
  if (m.items) return {ok};
  if (!m.error.empty()) return {ok, {code_of(m.error)}};
  return unanswered(no_answer::request_failed);
}

void add_token_span(tracer& by, const trace::span_context& within, std::string_view state,
                    std::string_view upstream, const credential_wait& wait) {
  const trace::place at{{within.trace, by.ids().span(), within.flags},
                        within.span,
                        false,
                        state,
                        by.since(wait.from).began,
                        by.since(wait.until).began,
                        {}};
  by.add([&](std::string& out) { trace::append_token_span(out, at, upstream, wait.told); });
}

client_span::client_span(tracer_ptr by, const trace::span_context& parent, std::string state,
                         std::string upstream, std::string_view method)
    : by_(std::move(by)),
      self_{parent.trace, by_->ids().span(), parent.flags},
      parent_(parent.span),
      state_(std::move(state)),
      upstream_(std::move(upstream)),
      method_(method),
      began_(by_->now()) {}

client_span::~client_span() {
  if (by_) end({error, {0, false, dropped_as_}}, nullptr);
}

void client_span::end(const client_end& how, const credential_wait* credential) {
  const auto by = std::exchange(by_, nullptr);
  if (!by) return;
  const auto [began, ended] = by->since(began_);
  const trace::place at{self_, parent_, false, state_, began, ended, links_};
  by->add([&](std::string& out) {
    trace::append_client_span(out, at, {upstream_, method_, how.outcome, how.why, how.suspended});
  });
  if (credential) add_token_span(*by, self_, state_, upstream_, *credential);
}

}  // namespace gate::traces
