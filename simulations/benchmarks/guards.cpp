/// bench_guards: what it costs to ask a guard: a message there, its decision, a message back, one
/// after the other on the gateway's own scheduler; beside the same with somebody who decides
/// nothing. One JSON line a result.
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <cstdio>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "actors/guards/budget_actor.hpp"
#include "actors/guards/circuit_breaker_actor.hpp"
#include "actors/guards/rate_limiter_actor.hpp"
#include "simulations/benchmarks/stopwatch.hpp"
#include "transport/clock.hpp"
#include "transport/pinned.hpp"
#include "transport/runtime.hpp"

namespace gate::bench {

class asker;
struct round_of_questions {
  std::function<void(asker& self, std::uint64_t number)> ask;
  std::uint64_t count = 0;
  std::promise<double>* took = nullptr;  ///< nanoseconds of one
};
using asker_actor = admission_user::extend_with<budget_user>::extend_with<lease_user>::extend<
    caf::reacts_to<round_of_questions>>;

/// Asks anew as soon as it is answered.
class asker final : public pinned<asker_actor::base> {
 public:
  asker(caf::actor_config& cfg, caf::execution_unit* unit) : pinned<asker_actor::base>(cfg, unit) {}
  behavior_type make_behavior() override {
    return {
        [this](const admitted& m) { answered(m.number, m.yes); },
        [this](const charged& m) { answered(m.number, m.yes); },
        [this](const lease_told& m) { answered(m.number, m.lease != 0); },
        [this](round_of_questions& m) {
          round_ = std::move(m);
          began_ = std::chrono::steady_clock::now();
          round_.ask(*this, 1);
        },
    };
  }

 private:
  void answered(std::uint64_t number, bool yes) {
    require(yes, "a guard says no");
    if (number < round_.count) return round_.ask(*this, number + 1);
    const std::chrono::duration<double, std::nano> all = std::chrono::steady_clock::now() - began_;
    round_.ask = nullptr;
    round_.took->set_value(all.count() / static_cast<double>(round_.count));
  }

  round_of_questions round_;
  std::chrono::steady_clock::time_point began_;
};

/// Says yes to everybody.
rate_limiter_handle::behavior_type yes_man(rate_limiter_handle::pointer self) {
  return {
      [self](const admit& m) { self->send(m.asker, admitted{.number = m.number}); },
      [](const show_usage&) { return usage_shown{}; },
  };
}

}  // namespace gate::bench

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::bench::round_of_questions)

namespace {

using namespace gate;
using namespace gate::bench;

constexpr std::int64_t plenty = 1'000'000'000'000;
constexpr std::uint64_t questions = 10'000;
constexpr std::size_t rounds = 101;

void report(const char* name, std::vector<double> times, double nothing) {
  const auto ns = median(std::move(times));
  std::printf(R"({"name":"%s","ns":%.0f,"nothing_ns":%.0f})"
              "\n",
              name, ns, nothing);
}

}  // namespace

int main() {
  runtime::options options;
  options.port = 0;
  auto world = runtime::start(options);
  require(world.has_value(), "the runtime does not start");
  auto& r = **world;
  auto& system = r.system();
  {
    auto who = system.spawn<asker>(r.units().front().unit);
    auto nobody = system.spawn(yes_man);
    auto limiter = system.spawn<guards::rate_limiter_actor>();
    auto budget = system.spawn<guards::budget_actor>(system_wall_clock());
    auto metrics = std::make_shared<gate::metrics>();
    auto breaker = system.spawn<guards::circuit_breaker_actor>(
        guards::breaker_parts{0,
                              "up",
                              {},
                              std::chrono::seconds(1),
                              metrics->get(metric::upstream_breaker_state, {"up"})});
    const rate_scopes_ptr limits =
        std::make_shared<std::vector<rate_scope>>(std::vector<rate_scope>{
            {{scope::server, {}, 0}, plenty}, {{scope::upstream, "up", 0}, plenty}});
    const allowances_ptr charges = std::make_shared<std::vector<allowance>>(
        std::vector<allowance>{{{scope::upstream, "up", 0}, config::budget_period::day, plenty},
                               {{scope::server, {}, 0}, config::budget_period::month, plenty}});
    const auto ask_limiter = [&](const rate_limiter_handle& whom) {
      return [&, whom](asker& self, std::uint64_t n) {
        self.send(whom, admit{n, limits, caf::actor_cast<admission_user>(who)});
      };
    };
    const std::pair<const char*, std::function<void(asker&, std::uint64_t)>> all[] = {
        {"guard_none", ask_limiter(nobody)},
        {"guard_limiter", ask_limiter(limiter)},
        {"guard_budget",
         [&](asker& self, std::uint64_t n) {
           self.send(budget, charge{n, charges, caf::actor_cast<budget_user>(who)});
         }},
        {"guard_breaker",
         [&](asker& self, std::uint64_t n) {
           self.send(breaker, want_lease{n, caf::actor_cast<lease_user>(who)});
         }},
    };
    std::vector<std::vector<double>> times(std::size(all));
    for (std::size_t i = 0; i < rounds; ++i) {
      for (std::size_t k = 0; k < std::size(all); ++k) {
        std::promise<double> took;
        caf::anon_send(who, round_of_questions{all[k].second, questions, &took});
        times[k].push_back(took.get_future().get());
      }
    }
    const auto nothing = median(times[0]);
    for (std::size_t k = 0; k < std::size(all); ++k) report(all[k].first, times[k], nothing);
    for (const auto& a : {caf::actor_cast<caf::actor>(who), caf::actor_cast<caf::actor>(nobody),
                          caf::actor_cast<caf::actor>(limiter), caf::actor_cast<caf::actor>(budget),
                          caf::actor_cast<caf::actor>(breaker)})
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
  }
  world = problem{"over"};
}
