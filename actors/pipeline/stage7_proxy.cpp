#include "actors/pipeline/initialize.hpp"
#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {
namespace {

/// The gateway's own answers.
std::optional<refused> answer_locally(call_ptr& c, desk& d) {
  if (c->method->name == "ping") {
    c->result = "{}";
    return {};
  }
  return initialize(c, d);
}

refused down(call_ptr c, std::string_view why) {
  refusal r{reason::upstream_down, {}, c->upstream->id, -1};
  r.message = "upstream \"" + c->upstream->id + "\" unavailable (" + std::string(why) + ")";
  return {std::move(c), std::move(r), {}};
}

/// The page, as the call's answer; or the refusal that the outcome means.
std::optional<refused> take_page(call_ptr& c, list_outcome&& o) {
  using state = list_outcome::state;
  switch (o.what) {
    case state::bad_cursor:
      return refused{std::move(c),
                     {reason::cursor_invalid,
                      "invalid or expired cursor: restart the list from the beginning",
                      {},
                      -1},
                     {}};
    case state::all_down:
      return refused{std::move(c),
                     {reason::upstream_down, "all upstreams unavailable: " + o.detail, {}, -1},
                     {}};
    case state::upstream_error: {
      auto text = std::make_shared<const std::string>(std::move(o.detail));
      c->error = *text;
      c->keep = text;
      return {};
    }
    default:
      break;
  }
  c->result = *o.head;
  c->keep = std::move(o.head);
  c->tail = std::move(o.tail);
  c->tail += '}';
  c->ticket.notes().items_served = o.count;
  return {};
}

}  // namespace

step_result<fact<stage::proxy>> proxy_step::run(fact<stage::guard> in, desk& d) {
  auto c = std::move(in).take();
  switch (c->course) {
    case course::local:
      if (auto no = answer_locally(c, d)) return std::move(*no);
      return fact<stage::proxy>(std::move(c));
    case course::list: {
      auto outcome = d.list(*c);
      if (outcome.what == list_outcome::state::waiting) {
        d.park(std::move(c));
        return settled{};
      }
      return resume_list(std::move(c), std::move(outcome));
    }
    default:
      break;
  }
  const auto index = c->upstream->index;
  auto question = std::move(c->question);
  c->ticket.notes().upstream_calls = 1;  // corrected by the answer
  question.call = d.park(std::move(c));
  d.ask(index, std::move(question));
  return settled{};
}

step_result<fact<stage::proxy>> proxy_step::resume(call_ptr c, const answered& m) {
  c->ticket.notes().upstream_calls = m.asked;
  if (m.what == answer::down) return down(std::move(c), m.why);
  c->keep = m.keep;
  if (m.what == answer::result)
    c->result = m.payload;
  else
    c->error = m.payload;
  c->ticket.notes().usage = m.usage;
  return fact<stage::proxy>(std::move(c));
}

step_result<fact<stage::proxy>> proxy_step::resume_list(call_ptr c, list_outcome outcome) {
  if (auto no = take_page(c, std::move(outcome))) return std::move(*no);
  return fact<stage::proxy>(std::move(c));
}

}  // namespace gate::pipeline
