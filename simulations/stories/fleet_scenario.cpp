#include "simulations/stories/fleet_scenario.hpp"

#include <algorithm>
#include <array>

#include "simulations/stories/habits.hpp"
#include "simulations/stories/setup.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate::fleet_churn {
namespace {

using churn::dice;
using churn::habit;
using std::to_string;
using namespace std::chrono_literals;

/// In the order of `act`: how often each happens.
constexpr std::array habits{
    habit{act::come, "come", 6, "a visitor initializes"},
    habit{act::call, "call", 34, "a visitor calls a tool"},
    habit{act::burst, "burst", 6,
          "a visitor calls a tool several times, at one instance after the other"},
    habit{act::list, "list", 2, "a visitor asks for the tools"},
    habit{act::task, "task", 4, "a visitor has a task made"},
    habit{act::ask_task, "ask_task", 6, "a visitor asks for a task"},
    habit{act::subscribe, "subscribe", 4, "a visitor subscribes to a resource, or no longer"},
    habit{act::listen, "listen", 5, "a visitor opens its stream"},
    habit{act::resume, "resume", 4, "a visitor comes back for the stream of a long call"},
    habit{act::token, "token", 8, "an assertion is presented"},
    habit{act::steal, "steal", 5, "a visitor comes with another's session"},
    habit{act::leave, "leave", 3, "a visitor ends its session"},
    habit{act::announce, "announce", 3, "a resource changes"},
    habit{act::trouble, "trouble", 8, "a link to the store is cut, swallows, keeps or stalls"},
    habit{act::mend, "mend", 7, "a link to the store is well again"},
    habit{act::store_goes, "store_goes", 2, "nobody reaches the store"},
    habit{act::store_comes, "store_comes", 4, "the store is back, with its data or without"},
    habit{act::restart, "restart", 2, "the store restarts, with its data or without"},
    habit{act::kill, "kill", 3, "an instance is killed"},
    habit{act::start, "start", 4, "an instance is started where one was killed"},
    habit{act::sicken, "sicken", 3, "calls of sick fail"},
    habit{act::cure, "cure", 3, "calls of sick no longer fail"},
    habit{act::wait, "wait", 20, "time passes"},
    habit{act::steps, "steps", 10, "up to 25 messages are handled"},
    habit{act::settle, "settle", 6, "all messages are handled"},
    habit{act::rush, "rush", 12, "all visitors call tools everywhere, up to 120 times"},
};

static_assert(churn::in_order(habits, act::rush));

using stories::setting;
using stories::unit;

constexpr setting percent(std::string_view name, std::uint32_t otherwise, std::string_view about) {
  return {"percent", name, unit::percent, otherwise, 0, 100, about};
}

/// In the order of `knob`.
constexpr std::array others{
    setting{"operations", "least", unit::count, 35, 1, 2'000, "operations of a story"},
    setting{"operations", "more", unit::count, 39, 0, 2'000, "at most so many more"},
    setting{"healing", "withinMs", unit::milliseconds, 20'000, 5'000, 600'000,
            "after so long everything must work again (where there are limits, 125 s more)"},
    percent("calm", 25, "nothing is done to the store: all that is counted is exact"),
    percent("sealed", 50, "instances share a key"),
    percent("limitOfAll", 17, "everybody's requests are limited"),
    percent("limitOfEach", 17, "those of each principal are"),
    percent("apart", 33, "an instance hears what is published by a connection of its own"),
    percent("turnOfHour", 25, "an hour ends in the middle"),
};
static_assert(others.size() == knobs);
constexpr auto all_settings = churn::with_habits(habits, others);

std::uint32_t turned(const stories::tuning& t, knob k) {
  return t[habits.size() + static_cast<std::size_t>(k)];
}

bool hurts_the_store(act what) {
  return what == act::trouble || what == act::store_goes || what == act::restart;
}

operation draw(dice& d, const stories::tuning& t) {
  const auto what = static_cast<act>(churn::draw(d, t.rows(0, habits.size())));
  operation o{what, d.below(1'000'000), d.below(1'000'000), d.below(1'000'000)};
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

std::span<const stories::setting> settings() {
  return all_settings;
}

scenario make_scenario(std::uint64_t seed) {
  static const stories::tuning usual(all_settings);
  return make_scenario(seed, usual);
}

scenario make_scenario(std::uint64_t seed, const stories::tuning& t) {
  dice d(seed);
  const auto happens = [&](knob k) { return d.below(100) < turned(t, k); };
  scenario s;
  s.seed = seed;
  s.heals_within = std::chrono::milliseconds(turned(t, knob::heals_within));
  s.calm = happens(knob::calm);
  s.sealed = happens(knob::sealed);
  if (happens(knob::limit_of_all)) s.requests_per_minute = 30 + d.below(10);
  if (happens(knob::limit_of_each)) s.per_principal = 20 + d.below(5);
  constexpr std::array distances{0ms, 1ms, 5ms, 20ms};
  s.longest = distances[d.below(distances.size())];
  for (auto& apart : s.apart) apart = happens(knob::apart);
  for (auto& ahead : s.ahead) ahead = std::chrono::milliseconds(d.below(10'000)) - 5s;
  s.store_ahead = std::chrono::milliseconds(d.below(40'000)) - 20s;
  // Now and then an hour, and with it a budget's period, ends in the middle.
  s.begins = happens(knob::turn_of_hour) ? 28min + std::chrono::seconds(d.below(90)) : 0s;
  for (std::uint32_t i = 0; i < 3; ++i) s.operations.push_back({act::come, i, 0, d.below(3)});
  auto left = turned(t, knob::least_operations) + d.below(turned(t, knob::more_operations) + 1);
  for (; left > 0; --left) {
    const auto o = draw(d, t);
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
         ',' + upstream("job", "") + ',' +
         upstream("own", R"(,"auth":{"strategy":"token-exchange","audience":"own",)"
                         R"("tokenEndpoint":"https://idp.test/token","clientId":"gate",)"
                         R"("clientAuth":{"type":"client_secret_post","secretRef":"SECRET"}})") +
         R"(],"tenants":[{"id":"north","subjects":{"subs":["alice","bob"]}},
             {"id":"south","subjects":{"subs":["carol"]})" +
         (s.bird == canary::open_tenants ? ""
                                         : R"(,"upstreams":["good","lim","pen","sick","job"])") +
         "}]," + server_text(s) +
         R"(,"auth":{"mode":"required","resource":"https://gate.test/mcp",
             "issuers":[{"issuer":"https://idp.test"}],
             "ema":{"idpIssuer":"https://idp.test","signingKeyRef":"KEY",
                    "tokenRateLimitPerMinute":50}}})";
}

std::string_view principal_of(std::size_t visitor) {
  constexpr std::array names{"alice", "bob", "carol"};
  return names[visitor % names.size()];
}

/// To sign one anew costs more than a call.
const std::string& token_of(std::string_view who) {
  static std::map<std::string, std::string, std::less<>> all;
  auto at = all.find(who);
  if (at == all.end()) {
    const auto text = sim::token_with(
        R"({"iss":"https://idp.test","aud":"https://gate.test/mcp","sub":")" + std::string(who) +
        R"(","exp":)" + std::to_string(sim::world_start() + 100'000) + '}');
    at = all.emplace(std::string(who), text).first;
  }
  return at->second;
}

bool has_own(std::size_t visitor) {
  return principal_of(visitor) != "carol";
}

std::string credential_of(std::string_view principal) {
  return std::string(credential_begins) + std::string(principal);
}

std::string setup_of(const scenario& s) {
  const auto ms = [](std::chrono::milliseconds t) { return to_string(t.count()) + " ms"; };
  return stories::setup_text()
      .add_if(s.calm, "nothing is done to the store")
      .add_if(s.sealed, "instances share a key")
      .add_if(s.requests_per_minute != 0, to_string(s.requests_per_minute) + " requests a minute")
      .add_if(s.per_principal != 0, to_string(s.per_principal) + " a minute of each principal")
      .add_if(s.longest.count() != 0, "the store is up to " + ms(s.longest) + " away")
      .add_if(std::ranges::find(s.apart, true) != s.apart.end(), "connections apart for hearing")
      .add_if(std::ranges::any_of(s.ahead, [](auto t) { return t.count() != 0; }),
              "clocks of instances differ")
      .add_if(s.store_ahead.count() != 0, "the store's clock is " + ms(s.store_ahead) + " ahead")
      .add_if(s.begins.count() != 0, "an hour ends in the middle")
      .take();
}

/// (That nothing is done to the store is known to checkers: it stays as it is.)
std::vector<scenario> simpler_ones(const scenario& s) {
  return stories::simpler_than(s)
      .with(&scenario::sealed, false)
      .with(&scenario::requests_per_minute, std::int64_t{0})
      .with(&scenario::per_principal, std::int64_t{0})
      .with(&scenario::longest, 0ms)
      .with(&scenario::apart, {})
      .with(&scenario::ahead, {})
      .with(&scenario::store_ahead, 0ms)
      .with(&scenario::begins, 0s)
      .take();
}

}  // namespace gate::fleet_churn
