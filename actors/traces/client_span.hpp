#pragma once
/// An open span of a request of an upstream, from when it is asked to when it has answered. Whoever
/// asked ends it; dropped with a session or an UPSTREAM that died, it ends as lost. So there is
/// exactly one for each request, as there is one audit event for each call.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/traces/tracer.hpp"

namespace gate::traces {

/// What became of it.
struct client_end {
  std::string_view outcome;
  trace::failure why{};
  bool suspended = false;
};
/// Of a raw JSON-RPC error object; 0: it names none.
int code_of(std::string_view raw_error);
client_end end_of(const answered& m);
client_end end_of(const listed& m);
/// A guard has refused it, or it was not reached.
client_end end_of(const refusal& why);

/// The span of a wait for a credential, of the request whose span is `within`.
void add_token_span(tracer& by, const trace::span_context& within, std::string_view state,
                    std::string_view upstream, const credential_wait& wait);

class client_span {
 public:
  /// `method`: of static storage.
  client_span(tracer_ptr by, const trace::span_context& parent, std::string state,
              std::string upstream, std::string_view method);
  client_span(const client_span&) = delete;
  client_span& operator=(const client_span&) = delete;
  ~client_span();

  const trace::span_context& self() const { return self_; }
  void link(const trace::span_context& to) { links_.push_back(to); }
  /// Its upstream was not asked after all: there is nothing to tell.
  void never_began() { by_ = nullptr; }
  /// Dropped, it ends so instead: whoever asked may stop waiting. Of static storage.
  void dropped_as(std::string_view word) { dropped_as_ = word; }

  /// Once: it, and the wait for a credential (or null) within are exported.
  void end(const client_end& how, const credential_wait* credential);

 private:
  tracer_ptr by_;  ///< null: it has ended
  trace::span_context self_;
  trace::span_id parent_;
  std::string state_;
  std::string upstream_;
  std::string_view method_;
  std::vector<trace::span_context> links_;
  std::string_view dropped_as_ = "lost";
  time_point began_;
};
using client_span_ptr = std::shared_ptr<client_span>;

}  // namespace gate::traces
