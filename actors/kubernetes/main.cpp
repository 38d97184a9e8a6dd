/// `gate-discovery`: reads the command line, starts the runtime, FOLLOWER and REGISTRY, and waits
/// for the end.
#include <algorithm>
#include <caf/send.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actors/companion/companion.hpp"
#include "actors/kubernetes/options.hpp"
#include "actors/kubernetes/registry_actor.hpp"
#include "config/options/listening.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/limits.hpp"
#include "transport/following.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/runtime.hpp"

namespace {

using namespace gate;

const companion::program self{"gate-discovery", std::cout, std::cerr};

/// Read for each question: tokens of a cluster's accounts are good for an hour, and replaced in
/// their file long before.
result<std::string> read_token(const std::string& file) {
  if (file.empty()) return {boost::system::in_place_value};
  const auto text = read_regular_file(file);
  if (!text) {
    // The sentence is one about configuration files, up to the path.
    const auto& why = text.error().what;
    return problem{"the token can not be read: " +
                   why.substr(std::min(why.find(file), why.size()))};
  }
  std::string token(config::without_blanks(*text));
  if (!http::can_be_bearer(token))
    return problem{"the token can not be read: " + file + " has none in it"};
  return {boost::system::in_place_value, std::move(token)};
}

std::optional<config::host_list> hosts_of(const std::optional<std::vector<std::string>>& names) {
  if (!names) return std::nullopt;
  return config::host_list(*names);
}

/// The path below which the API is, without the `/` that all begin with.
std::string base_of(const http::url& server) {
  auto out = server.target;
  while (out.ends_with('/')) out.pop_back();
  return out;
}

int serve(runtime& world, const kubernetes::options& o, kubernetes::account as,
          webhook::callers who) {
  const auto& doors = world.units().front();
  const auto follower = spawn_follower(world.system(), doors.unit);
  const companion::only_actor it;
  {
    kubernetes::registry_parts parts;
    parts.server = as.server;
    parts.ca_file = as.ca_file;
    parts.which = {base_of(as.server), o.space, o.label_selector};
    parts.rules = {o.domain, o.reserved, o.secret_refs, hosts_of(o.upstream_hosts),
                   hosts_of(o.credential_hosts)};
    parts.front = {http::allowlist({"localhost", "127.0.0.1", "::1", o.host}),
                   !config::is_loopback(o.host), std::move(who)};
    parts.token = [file = as.token_file] { return read_token(file); };
    parts.follower = follower;
    parts.ingress = doors.ingress;
    parts.metrics = std::make_shared<metrics>(metric::kubernetes_build_info);
    parts.wall = system_wall_clock();
    parts.random = system_random();
    parts.stopped = it.stopped();
    const auto boss =
        world.system().spawn<kubernetes::registry_actor>(doors.unit, std::move(parts));
    it.is(caf::actor_cast<watcher_handle>(boss), world);
  }
  log::info("gate-discovery " GATE_VERSION " is listening on " +
                config::url_of(o.host, world.port()) + ".",
            {{"server", as.server.origin()}});
  const bool orderly = it.wait();
  caf::anon_send_exit(follower, caf::exit_reason::user_shutdown);
  if (orderly) return config::exit_ok;
  log::error("REGISTRY crashed.");
  std::_Exit(config::exit_invalid);  // whoever started us starts us again; nothing is kept
}

int run(const kubernetes::options& o) {
  auto as = kubernetes::account_of(o, environment_variable);
  if (!as) return self.complain(as.error().what, config::exit_usage);
  auto who = companion::bearer_of(o.bearer_env);
  if (!who) return self.complain(who.error().what, config::exit_invalid);
  runtime::options w;
  w.host = o.host;
  w.port = o.port;
  w.max_body_bytes = 0;
  return companion::run(self, o.log_format, o.log_level, w, [&](runtime& world) {
    return serve(world, o, std::move(*as), std::move(*who));
  });
}

}  // namespace

int main(int argc, char** argv) {
  // Its environment has secrets; programs of the same user are not to read them there.
  forbid_inspection();
  ignore_hangup();  // until WATCH takes it
  const auto parsed =
      kubernetes::parse_options({const_cast<const char* const*>(argv) + 1,
                                 static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return self.complain(wrong->what, config::exit_usage);
  const auto& o = std::get<kubernetes::options>(parsed);
  switch (o.action) {
    case kubernetes::action::help:
      return self.say(kubernetes::help());
    case kubernetes::action::version:
      return self.say_version();
    case kubernetes::action::healthcheck:
      if (http_answers(o.host, o.port, "/healthz")) return config::exit_ok;
      return self.complain("no answer from " + config::url_of(o.host, o.port) + "/healthz",
                           config::exit_invalid);
    default:
      return run(o);
  }
}
