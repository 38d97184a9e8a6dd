/// `gate-stdio`: reads the command line, has KEEPER forked while there is but one thread, starts
/// the runtime and SHIM, and waits for its end. With --probe: PROBE instead of SHIM.
#include <caf/send.hpp>
#include <future>
#include <iostream>
#include <optional>
#include <string>

#include "config/options/listening.hpp"
#include "shim/options.hpp"
#include "shim/probe_actor.hpp"
#include "shim/shim_actor.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/process/keeper.hpp"
#include "transport/runtime.hpp"

namespace {

using namespace gate;

int complain(std::string_view what, int code) {
  std::cerr << "gate-stdio: " << what << '\n';
  return code;
}

shim::front_rules rules_of(const shim::options& o, std::string token) {
  shim::front_rules rules;
  rules.any_host = !config::is_loopback(o.host);
  rules.hosts = http::allowlist({"localhost", "127.0.0.1", "::1", o.host});
  rules.token = std::move(token);
  return rules;
}

/// Has PROBE started, hears what it found, for a thread that is no actor, and interrupts it when
/// the operator does.
using prober_actor = shim::probe_user::extend<caf::reacts_to<stop_requested>>::extend<
    caf::reacts_to<reload_requested>>;

prober_actor::behavior_type probing(prober_actor::pointer self, const unit_doors& doors,
                                    shim::tally_ptr tally,
                                    std::shared_ptr<std::promise<shim::probed>> told,
                                    std::shared_ptr<std::promise<void>> ended) {
  const auto it = self->spawn<shim::probe_actor>(
      doors.unit, shim::probe_parts{doors.children, caf::actor_cast<shim::probe_user>(self),
                                    std::move(tally), limits::child_initialize});
  caf::actor_cast<caf::abstract_actor*>(it)->attach_functor([ended] { ended->set_value(); });
  self->monitor(it);
  self->set_down_handler([self, told](const caf::down_msg&) {
    told->set_value({false, "PROBE crashed"});
    self->quit();
  });
  return {
      [self, told](const shim::probed& m) {
        told->set_value(m);
        self->quit();  // from here on PROBE ends by itself; a second signal ends us at once
      },
      [self, probe = caf::actor_cast<shim::probe_handle>(it)](stop_requested) {
        self->send(probe, shim::end_session{});
      },
      [](reload_requested) {},
  };
}

int probe(runtime& world) {
  metrics counts(metric::stdio_build_info);
  auto told = std::make_shared<std::promise<shim::probed>>();
  auto future = told->get_future();
  auto ended = std::make_shared<std::promise<void>>();
  auto over = ended->get_future();
  caf::anon_send(world.watch(), watch_for{world.system().spawn(
                                    probing, world.units().front(),
                                    std::make_shared<shim::tally>(counts), told, ended)});
  const auto found = future.get();
  over.wait();
  if (!found.runs)
    return complain("the server can not be run: " + found.what, config::exit_invalid);
  std::cout << "probe OK: " << found.what << '\n';
  return config::exit_ok;
}

int serve(runtime& world, const shim::options& o, std::string token) {
  shim::shim_parts parts;
  const auto& doors = world.units().front();
  parts.rules = rules_of(o, std::move(token));
  parts.max_sessions = o.max_sessions;
  parts.ingress = doors.ingress;
  parts.children = doors.children;
  parts.metrics = std::make_shared<metrics>(metric::stdio_build_info);
  parts.random = system_random();
  auto code = std::make_shared<std::optional<int>>();
  parts.stopped = [code](bool well) { *code = well ? config::exit_ok : config::exit_invalid; };
  auto ended = std::make_shared<std::promise<void>>();
  {
    const auto boss = world.system().spawn<shim::shim_actor>(doors.unit, std::move(parts));
    // Not by `stopped`: a SHIM that crashed has ended too.
    caf::actor_cast<caf::abstract_actor*>(boss)->attach_functor([ended] { ended->set_value(); });
    caf::anon_send(world.watch(), watch_for{boss});
  }
  log::info("gate-stdio " GATE_VERSION " is listening on " + config::url_of(o.host, world.port()) +
                std::string(shim::mcp_path) + " for up to " + std::to_string(o.max_sessions) +
                " session(s). The command is tried by the first of them, and by --probe.",
            {{"command", o.command.front()}});
  settle_down();
  ended->get_future().wait();
  if (*code) return **code;
  log::error("SHIM crashed.");
  std::_Exit(config::exit_invalid);  // its sessions run on; KEEPER ends their processes
}

/// A session's child: three pipes, and the socket to its warden; and two for streams to its client.
constexpr std::size_t descriptors_each = 6;

int run(const shim::options& o) {
  process::command c{o.command, o.directory, {}};
  std::vector<std::string> missing;
  c.environment = shim::passed_environment(o.env_passthrough, whole_environment_variable, missing);
  // Children of the same user must not find in our environment what was not passed on to them.
  forbid_inspection();
  // Before anything has a thread.
  auto keeper = process::keeper::start(std::move(c));
  if (!keeper) return complain(keeper.error().what, config::exit_invalid);
  // Not before: what KEEPER has in its memory, all wardens have.
  std::string token;
  if (!o.bearer_env.empty()) {
    token = config::without_blanks(environment_variable(o.bearer_env).value_or(""));
    if (token.empty())
      return complain("the variable that --bearer-env names is not set, or blank: " + o.bearer_env,
                      config::exit_usage);
  }
  log::init(o.log_format == config::log_format::json ? log::format::json : log::format::text,
            static_cast<log::level>(o.log_level));
  for (const auto& name : missing)
    log::warn("A variable to be passed on is not set.", {{"name", name}});
  runtime::options w;
  w.host = o.host;
  w.port = o.port;
  w.max_body_bytes = o.max_body_bytes;
  w.listens = o.action == shim::action::run;
  w.own_descriptors = descriptors_each * o.max_sessions;
  w.keeper = *keeper;
  auto world = runtime::start(w);
  w.keeper.reset();
  if (!world) return complain(world.error().what, config::exit_invalid);
  const int code = w.listens ? serve(**world, o, std::move(token)) : probe(**world);
  world->reset();   // joins the threads
  keeper->reset();  // and waits until nothing is left of any child
  if (w.listens) log::info("Stopped.");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  ignore_hangup();  // until WATCH takes it
  const auto parsed = shim::parse_options({const_cast<const char* const*>(argv) + 1,
                                           static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (const auto* wrong = std::get_if<shim::usage_error>(&parsed))
    return complain(wrong->what, config::exit_usage);
  const auto& o = std::get<shim::options>(parsed);
  switch (o.action) {
    case shim::action::help:
      std::cout << shim::help();
      return config::exit_ok;
    case shim::action::version:
      std::cout << "gate-stdio " GATE_VERSION "\n";
      return config::exit_ok;
    default:
      return run(o);
  }
}
