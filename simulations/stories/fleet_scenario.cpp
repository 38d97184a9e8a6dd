#include "simulations/stories/fleet_scenario.hpp"

#include <array>

#include "simulations/stories/habits.hpp"

namespace gate::fleet_churn {
namespace {

using churn::dice;
using churn::habit;
using std::to_string;
using namespace std::chrono_literals;

/// In the order of `act`: how often each happens.
constexpr std::array habits{
    habit{act::come, "come", 6},
    habit{act::call, "call", 34},
    habit{act::burst, "burst", 6},
    habit{act::list, "list", 2},
    habit{act::task, "task", 4},
    habit{act::ask_task, "ask_task", 6},
    habit{act::subscribe, "subscribe", 4},
    habit{act::listen, "listen", 5},
    habit{act::resume, "resume", 4},
    habit{act::token, "token", 8},
    habit{act::steal, "steal", 5},
    habit{act::leave, "leave", 3},
    habit{act::announce, "announce", 3},
    habit{act::trouble, "trouble", 8},
    habit{act::mend, "mend", 7},
    habit{act::store_goes, "store_goes", 2},
    habit{act::store_comes, "store_comes", 4},
    habit{act::restart, "restart", 2},
    habit{act::kill, "kill", 3},
    habit{act::start, "start", 4},
    habit{act::sicken, "sicken", 3},
    habit{act::cure, "cure", 3},
    habit{act::wait, "wait", 20},
    habit{act::steps, "steps", 10},
    habit{act::settle, "settle", 6},
};

static_assert(churn::in_order(habits, act::settle));

bool hurts_the_store(act what) {
  return what == act::trouble || what == act::store_goes || what == act::restart;
}

operation draw(dice& d) {
  operation o{churn::draw(d, habits), d.below(1'000'000), d.below(1'000'000), d.below(1'000'000)};
  if (o.what == act::wait) o.a = churn::some_time(d, 600, {1'000, 4'000}, {8'000, 20'000});
  if (o.what == act::steps) o.a = 1 + d.below(25);
  return o;
}

std::string server_text(const scenario& s) {
  std::string out = R"("server":{"sessionIdleTimeoutMs":)" +
                    to_string(std::chrono::milliseconds(session_idle).count());
  if (s.sealed) out += R"(,"fleetKeyRef":"FLEET")";
  if (s.requests_per_minute || s.per_principal) {
    const auto of_all = s.requests_per_minute ? s.requests_per_minute : 100'000;
    out += R"(,"rateLimit":{"requestsPerMinute":)" + to_string(of_all);
    if (s.per_principal) out += R"(,"perPrincipalPerMinute":)" + to_string(s.per_principal);
    out += '}';
  }
  return out + '}';
}

}  // namespace

std::string to_string(const operation& o) {
  return std::string(habits[static_cast<std::size_t>(o.what)].name) + '(' + to_string(o.a) + ", " +
         to_string(o.b) + ", " + to_string(o.c) + ')';
}

scenario make_scenario(std::uint64_t seed) {
  dice d(seed);
  scenario s;
  s.seed = seed;
  s.calm = d.one_in(4);
  s.sealed = d.one_in(2);
  if (d.one_in(6)) s.requests_per_minute = 30 + d.below(10);
  if (d.one_in(6)) s.per_principal = 20 + d.below(5);
  constexpr std::array distances{0ms, 1ms, 5ms, 20ms};
  s.longest = distances[d.below(distances.size())];
  for (auto& apart : s.apart) apart = d.one_in(3);
  for (auto& ahead : s.ahead) ahead = std::chrono::milliseconds(d.below(10'000)) - 5s;
  s.store_ahead = std::chrono::milliseconds(d.below(40'000)) - 20s;
  // Now and then an hour, and with it a budget's period, ends in the middle.
  s.begins = d.one_in(4) ? 28min + std::chrono::seconds(d.below(90)) : 0s;
  for (std::uint32_t i = 0; i < 3; ++i) s.operations.push_back({act::come, i, 0, d.below(3)});
  for (auto left = 35 + d.below(40); left > 0; --left) {
    const auto o = draw(d);
    if (!s.calm || !hurts_the_store(o.what)) s.operations.push_back(o);
  }
  return s;
}

std::string document(const scenario& s) {
  const auto upstream = [](const std::string& id, const std::string& more) {
    return R"({"id":")" + id + R"(","namespace":")" + id + R"(","url":"http://)" + id +
           R"(.test/mcp","cacheTtlMs":5000,"timeouts":{"requestMs":)" +
           to_string(request_timeout.count()) + '}' + more + '}';
  };
  return R"({"upstreams":[)" + upstream("good", "") + ',' +
         upstream("lim", R"(,"rateLimit":{"requestsPerMinute":)" + to_string(lim_per_minute) +
                             R"(},"budget":{"period":"hour","upstreamCalls":10000})") +
         ',' +
         upstream("pen",
                  R"(,"budget":{"period":"hour","upstreamCalls":)" + to_string(pen_calls) + '}' +
                      (s.per_principal ? R"(,"rateLimit":{"requestsPerMinute":1000})" : "")) +
         ',' +
         upstream("sick", R"(,"circuitBreaker":{"failureThreshold":)" +
                              to_string(failure_threshold) + R"(,"halfOpenAfterMs":)" +
                              to_string(half_open_after.count()) + '}') +
         ',' + upstream("job", "") + "]," + server_text(s) +
         R"(,"auth":{"mode":"required","resource":"https://gate.test/mcp",
             "issuers":[{"issuer":"https://idp.test"}],
             "ema":{"idpIssuer":"https://idp.test","signingKeyRef":"KEY",
                    "tokenRateLimitPerMinute":50}}})";
}

std::string_view principal_of(std::size_t visitor) {
  constexpr std::array names{"alice", "bob", "carol"};
  return names[visitor % names.size()];
}

}  // namespace gate::fleet_churn
