#pragma once
/// Stage 9: the single exit door. Whatever ends a call, its answer or a refusal, is written to the
/// client here, counted here, and told to the audit trail here, once.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "actors/interfaces.hpp"
#include "actors/pipeline/desk.hpp"
#include "actors/pipeline/fact.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"

namespace gate::pipeline {

/// Writes what the client gets, then spends the ticket. Nobody else does either (tests/tidy looks):
/// what a call's end means for its client and for the audit trail is said here.
struct exit_stage {
  static constexpr stage id = stage::audit;
  /// The answer of an MCP request.
  static void deliver(fact<stage::egress> call, desk& d);
  /// A refusal, of MCP or an endpoint, by the words of whichever it is.
  static void refuse(refused r, desk& d);
  /// What is owed no answer, by its status alone: 202 for a notification, 204 for DELETE.
  static void acknowledge(call& c, int status, ending e = {});
  /// The answer of an endpoint beside MCP.
  static void serve(call& c, const response_head& head, std::string_view body, ending e = {});
  /// The same, as an event stream that goes on by itself.
  static void open(call& c, std::string_view headers, std::string_view text);
  /// It ends from outside, by a cancellation or with its session: no JSON-RPC answer. Its POST ends
  /// all the same.
  static void cancel(call& c, std::string why, desk& d);
  /// Its client is gone, or has got a stream instead of an answer.
  static void close(call& c, ending e = {});
  /// The request goes to another unit, and leaves there; or, if its client is gone before it has
  /// arrived, on the way. False: it stays.
  static bool leave_to_unit(call& c, std::uint8_t unit);
  /// The elements of a batch leave by tickets of their own.
  static void leave_to_elements(call& c);
};

/// Where tickets are spent: metrics, and one audit event. Part of ROUTER.
class audit_door final : public exit_door {
 public:
  /// Who is told of events; with none of them, they are not made.
  struct audience {
    audit_handle trail;        ///< null: no audit section is configured, or it is being restarted
    activity_handle activity;  ///< null: no introspection, or the same
    audit_recorder_handle recorder{};  ///< null: nothing is recorded
    explicit operator bool() const { return trail || activity || recorder; }
    void tell(std::shared_ptr<const audit::event> event) const;
  };
  audit_door(metrics& m, audience told, wall_clock wall,
             std::function<std::chrono::steady_clock::time_point()> now);
  void leave(journal&& j, ending&& e) noexcept override;
  std::shared_ptr<passage> lend(const journal& j, ending e) override;
  void replace(audit_handle trail) { told_.trail = std::move(trail); }
  void replace(activity_handle activity) { told_.activity = std::move(activity); }

 private:
  struct method_metrics {
    std::array<metrics::value, audit::outcomes.size()> by_outcome;
    metrics::histogram duration;
  };
  struct tenant_metrics {
    std::array<std::optional<metrics::value>, audit::outcomes.size()> by_outcome;
    metrics::value calls;
  };
  std::shared_ptr<audit::event> event_of(journal&& j, ending&& e) const;
  method_metrics& of(std::string_view method);
  void count_tenant(const journal& j, const ending& e);
  void count(const journal& j, const ending& e, double seconds);

  metrics& metrics_;
  audience told_;
  wall_clock wall_;
  std::function<std::chrono::steady_clock::time_point()> now_;
  /// Keyed by methods.hpp's own strings, whose addresses are unique: comparing pointers is enough.
  std::map<const char*, method_metrics> methods_;
  std::map<rejection, metrics::value> rejections_;
  std::unordered_map<std::string, tenant_metrics> tenants_;
  metrics::histogram upstream_calls_;
};

}  // namespace gate::pipeline
