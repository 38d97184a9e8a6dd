/// `gate`: reads the command line and the configuration, assembles the runtime and the gateway, and
/// waits for its end.
#include <caf/send.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <iterator>

#include "actors/supervisor/gateway.hpp"
#include "config/cli.hpp"
#include "config/reference.hpp"
#include "config/schema.hpp"
#include "config/unsupported.hpp"
#include "config/validate.hpp"
#include "protocol/limits.hpp"
#include "transport/clock.hpp"
#include "transport/lines.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/runtime.hpp"

namespace {

using namespace gate;

int complain(std::string_view what) {
  std::cerr << "gate: " << what << '\n';
  return config::exit_invalid;
}

result<std::string> read_source(const config::source& s) {
  if (s.from == config::source::kind::inlined) return {boost::system::in_place_value, s.text};
  return read_file(s.text);
}

int print_problems(const std::vector<config::config_problem>& problems) {
  for (const auto& p : problems) std::cerr << config::to_line(p) << '\n';
  return config::exit_invalid;
}

audits::sink audit_sink(const config::document& doc, std::shared_ptr<line_writer>& out) {
  if (!doc.audit || doc.audit->sinks.empty()) return {};
  out = std::make_shared<line_writer>(standard_output, limits::audit_queue);
  return {[out](std::string_view line) { return out->write(line); }, [out] { out->flush(); }};
}

/// What MCP says of it is no reason to forbid it, but one to know it.
void warn_of_credentials(const config::snapshot& s) {
  for (const auto& u : s.upstreams)
    if (u.auth.strategy != config::auth_strategy::none && !u.endpoint.tls && !u.endpoint.loopback())
      log::warn(
          "The credential for an upstream crosses the network in clear text: its URL is http. "
          "Prefer https, or an upstream on this machine.",
          {{"upstream", u.id}});
  for (const auto& u : s.upstreams)
    if (u.auth.strategy == config::auth_strategy::passthrough)
      log::warn(
          "An upstream gets the callers' own tokens (strategy passthrough). The MCP authorization "
          "specification forbids to pass tokens through: whoever runs it can use them here, and "
          "elsewhere. Prefer token-exchange.",
          {{"upstream", u.id}});
}

int run(const config::cli_options& o, config::document doc) {
  auto snapshot = config::compile(std::move(doc));
  std::optional<std::string> signing_key;
  if (snapshot->doc.auth.ema)
    signing_key = environment_variable(snapshot->doc.auth.ema->signing_key_ref);
  auto authority = identity::make_authority(snapshot->doc, signing_key);
  if (!authority) return complain(authority.error().what);
  warn_of_credentials(*snapshot);
  runtime::options ro;
  ro.host = o.host;
  ro.port = o.port;
  ro.threads = o.threads;
  ro.max_body_bytes = static_cast<std::size_t>(snapshot->doc.server.max_body_bytes);
  auto world = runtime::start(ro);
  if (!world) return complain(world.error().what);
  auto& r = **world;

  std::promise<void> stopped;
  std::shared_ptr<line_writer> audit_out;
  supervisor::gateway_parts parts;
  parts.snapshot = snapshot;
  for (const auto& u : r.units()) parts.units.push_back({u.unit, u.ingress, u.egress});
  parts.metrics = std::make_shared<metrics>();
  parts.wall = system_wall_clock();
  parts.random = system_random();
  parts.secrets = environment_variable;
  parts.authority = std::move(*authority);
  parts.audit = audit_sink(snapshot->doc, audit_out);
  parts.stopped = [&stopped] { stopped.set_value(); };
  auto boss = r.system().spawn<supervisor::gateway>(r.units().front().unit, std::move(parts));
  caf::anon_send(r.watch(), watch_for{boss});
  boss = nullptr;
  log::info("gate " GATE_VERSION " is listening on http://" +
            (o.host.find(':') == std::string::npos ? o.host : "[" + o.host + "]") + ":" +
            std::to_string(r.port()) + snapshot->doc.server.mcp_path + " for " +
            std::to_string(snapshot->upstreams.size()) + " upstream(s).");
  stopped.get_future().wait();
  world = problem{"ended"};  // joins the threads
  log::info("Stopped.");
  return config::exit_ok;
}

int run_or_validate(const config::cli_options& o) {
  auto text = read_source(o.source);
  if (!text) return complain(text.error().what);
  auto parsed = config::load(*text);
  if (!parsed.problems.empty()) return print_problems(parsed.problems);
  if (o.action == config::cli_action::validate) {
    std::cout << "config OK\n";
    return config::exit_ok;
  }
  if (auto missing = config::unsupported(parsed); !missing.empty()) return print_problems(missing);
  if (environment_variable("REDIS_URL"))
    return complain("not supported by this build: the REDIS_URL environment variable (unset it)");
  log::init(o.log_format == config::log_format::json ? log::format::json : log::format::text,
            static_cast<log::level>(o.log_level));
  return run(o, std::move(parsed.doc));
}

}  // namespace

int main(int argc, char** argv) {
  const auto cli = config::parse_cli(
      {const_cast<const char* const*>(argv) + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)},
      environment_variable);
  if (const auto* error = std::get_if<config::cli_error>(&cli)) {
    std::cerr << "gate: " << error->what << '\n';
    return config::exit_usage;
  }
  const auto& o = std::get<config::cli_options>(cli);
  switch (o.action) {
    case config::cli_action::help:
      std::cout << config::help();
      return config::exit_ok;
    case config::cli_action::version:
      std::cout << "gate " GATE_VERSION "\n";
      return config::exit_ok;
    case config::cli_action::schema:
      std::cout << config::schema();
      return config::exit_ok;
    case config::cli_action::config_reference:
      std::cout << config::reference();
      return config::exit_ok;
    case config::cli_action::healthcheck:
      return http_answers(o.host, o.port, "/health") ? config::exit_ok : config::exit_invalid;
    default:
      return run_or_validate(o);
  }
}
