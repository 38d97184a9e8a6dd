/// `gate-hooks`: reads the command line and the tokens, opens the ledger, starts the runtime and
/// HOOKS, and waits for its end.
#include <caf/send.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <variant>

#include "actors/companion/companion.hpp"
#include "actors/webhooks/api_actor.hpp"
#include "actors/webhooks/console/page.hpp"
#include "actors/webhooks/hooks_actor.hpp"
#include "actors/webhooks/options.hpp"
#include "config/options/listening.hpp"
#include "protocol/limits.hpp"
#include "transport/ledgers.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/runtime.hpp"

namespace {

using namespace gate;

const companion::program self{"gate-hooks", std::cout, std::cerr};

/// Whoever may call: of the document, of the one variable, or everybody.
result<webhook::callers> read_callers(const hooks::options& o) {
  if (o.config.empty()) return companion::bearer_of(o.bearer_env);
  const auto text = read_regular_file(o.config);
  if (!text) return text.error();
  auto read = webhook::read_organizations(*text);
  if (!read) {
    const auto& e = read.error();
    return problem{o.config + ": " + e.error + (e.where.empty() ? "" : " (" + e.where + ")")};
  }
  if (read->empty()) return webhook::callers();
  return webhook::callers::of(*read, environment_variable);
}

hooks::deliverer_rules delivering_rules(const hooks::options& o) {
  const std::chrono::seconds answer{o.timeout};
  hooks::deliverer_rules out{.schedule = o.schedule,
                             .answer = answer,
                             .lease = answer + limits::webhook_lease_margin,
                             .pause = limits::webhook_ledger_pause,
                             .in_flight = limits::webhook_attempts,
                             .held = limits::webhook_held,
                             .breaker = {}};
  out.breaker.failure_threshold = limits::webhook_failures;
  out.breaker.half_open_after = limits::webhook_left_alone;
  return out;
}

/// What HOOKS and API are made of, once there is a world to be in.
hooks::hooks_parts parts_of(const hooks::options& o, runtime& world, webhook::callers who) {
  const auto& doors = world.units().front();
  auto counted = std::make_shared<metrics>(metric::hooks_build_info);
  auto delivering = std::make_shared<hooks::delivering_parts>();
  delivering->rules = delivering_rules(o);
  delivering->sending = {o.calling, delivering->rules.answer};
  delivering->egress = doors.egress;
  delivering->tally = std::make_shared<hooks::attempt_tally>(*counted);
  delivering->wall = system_wall_clock();
  delivering->random = system_random();

  hooks::api_parts api;
  api.front.any_host = !config::is_loopback(o.host);
  api.front.hosts = http::allowlist({"localhost", "127.0.0.1", "::1", o.host});
  api.front.who = std::move(who);
  api.calling = o.calling;
  api.first_pause = o.schedule.pauses().front();
  api.ingress = doors.ingress;
  api.metrics = counted;
  api.wall = delivering->wall;
  api.random = delivering->random;
  api.accepted = [events = labelled<webhook::event_type>(*counted, metric::hooks_events)](
                     webhook::event_type t) { events[t].add(); };

  api.page = [](const http_request& r) { return hooks::console_page(r); };

  hooks::hooks_parts out;
  out.open_ledger = [&world, place = o.store] { return open_ledger(world.system(), place); };
  out.delivering = std::move(delivering);
  out.alone = o.store.what == ledger_place::kind::sqlite;
  out.succeeded_kept = o.succeeded_kept;
  out.dead_kept = o.dead_kept;
  out.metrics = counted;
  out.spawn_api = [&world, api = std::move(api)](const hooks::use_parts& others) mutable {
    auto now = api;
    now.ledger = others.ledger;
    now.dispatch = others.dispatch;
    now.trials = others.trials;
    return caf::actor_cast<hooks::api_handle>(
        world.system().spawn<hooks::api_actor>(world.units().front().unit, std::move(now)));
  };
  return out;
}

int serve(runtime& world, const hooks::options& o, webhook::callers who) {
  const auto organizations = who.size();
  auto parts = parts_of(o, world, std::move(who));
  auto first = parts.open_ledger();
  if (!first) return self.complain(first.error().what, config::exit_invalid);
  parts.ledger = std::move(*first);
  const companion::only_actor it;
  parts.stopped = it.stopped();
  it.is(world.system().spawn<hooks::hooks_actor>(world.units().front().unit, std::move(parts)),
        world);
  if (o.calling.loopback)
    log::warn(
        "Webhooks may be http and on this machine (--dev-allow-loopback): for development "
        "only.");
  log::info("gate-hooks " GATE_VERSION " is listening on " + config::url_of(o.host, world.port()) +
            " for " + std::to_string(organizations) + " organization(s).");
  if (it.wait()) return config::exit_ok;
  log::error("HOOKS crashed.");
  std::_Exit(config::exit_invalid);  // what it supervised may run on; what was accepted is on disk
}

int run(const hooks::options& o) {
  auto who = read_callers(o);
  if (!who) return self.complain(who.error().what, config::exit_invalid);
  runtime::options w;
  w.host = o.host;
  w.port = o.port;
  w.max_body_bytes = limits::hooks_request_bytes;
  w.own_descriptors = limits::webhook_held_in_all + limits::webhook_trials + limits::webhook_idle;
  w.egress = spawn_egress;
  return companion::run(self, o.log_format, o.log_level, w,
                        [&](runtime& world) { return serve(world, o, std::move(*who)); });
}

}  // namespace

int main(int argc, char** argv) {
  ignore_hangup();  // until WATCH takes it
  // Its environment has secrets; programs of the same user are not to read them there.
  forbid_inspection();
  const auto parsed = hooks::parse_options({const_cast<const char* const*>(argv) + 1,
                                            static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (const auto* wrong = std::get_if<hooks::usage_error>(&parsed))
    return self.complain(wrong->what, config::exit_usage);
  const auto& o = std::get<hooks::options>(parsed);
  switch (o.action) {
    case hooks::action::help:
      return self.say(hooks::help());
    case hooks::action::version:
      return self.say_version();
    default:
      return run(o);
  }
}
