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

/// Writes what the client gets, then spends the ticket.
struct exit_stage {
  static constexpr stage id = stage::audit;
  static void deliver(fact<stage::egress> call, desk& d);
  static void refuse(refused r, desk& d);
};

/// Where tickets are spent: metrics, and one audit event. Part of ROUTER.
class audit_door final : public exit_door {
 public:
  /// `sink` null: no audit section is configured, events are not made.
  audit_door(metrics& m, audit_actor sink, wall_clock wall,
             std::function<std::chrono::steady_clock::time_point()> now);
  void leave(journal&& j, ending&& e) noexcept override;
  void replace_sink(audit_actor sink) { sink_ = std::move(sink); }

 private:
  struct method_metrics {
    std::array<metrics::value, 8> by_outcome;
    metrics::histogram duration;
  };
  struct tenant_metrics {
    std::array<std::optional<metrics::value>, 8> by_outcome;
    metrics::value calls;
  };
  method_metrics& of(std::string_view method);
  void count_tenant(const journal& j, const ending& e);
  void count(const journal& j, const ending& e, double seconds);

  metrics& metrics_;
  audit_actor sink_;
  wall_clock wall_;
  std::function<std::chrono::steady_clock::time_point()> now_;
  /// Keyed by methods.hpp's own strings, whose addresses are unique: comparing pointers is enough.
  std::map<const char*, method_metrics> methods_;
  std::map<std::string_view, metrics::value> rejections_;
  std::unordered_map<std::string, tenant_metrics> tenants_;
  metrics::histogram upstream_calls_;
};

}  // namespace gate::pipeline
