#pragma once
/// Traces, as the stages note them: which one a request belongs to, and its spans, if they are
/// recorded. Without `tracing` nothing is made: what a client says passes.
#include "actors/pipeline/desk.hpp"

namespace gate::pipeline {

/// Stage 4, once the message was read: the trace that a request belongs to. `bare`: its `_meta`
/// says nothing of that.
void begin_trace(call& c, desk& d, bool bare);

/// What goes with a request of an upstream that the call causes.
struct asked_trace {
  trace_ptr lines;                 ///< null: there is no context
  traces::client_span_ptr span{};  ///< null: none is recorded
};
asked_trace trace_to(const call& c, const config::compiled_upstream& u, std::string_view method);

/// Stage 7: the upstream is about to be asked this; and it has answered.
void enter_upstream(call& c, invoke& question);
void leave_upstream(call& c, const answered& m);
/// It was not asked after all.
void leave_unasked(call& c);
/// What the upstream began for an earlier attempt, whose span is `cause`, goes on. `works`: it has
/// not answered meanwhile.
void go_on_upstream(call& c, const trace::span_context& cause, bool works);
/// A request that is another instance's has been answered here. If it has waited for a credential,
/// nobody else knows: a span within that of the request, which is told there.
void note_wait(const desk& d, const trace::span_context& within,
               const config::compiled_upstream* at, const answered& m);
/// The call leaves with what its client is asked. The span by which it is known when that comes
/// back; nothing: none is recorded.
std::optional<trace::span_context> suspend_upstream(call& c);

}  // namespace gate::pipeline
