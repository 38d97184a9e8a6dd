/// `gate`: reads the command line and the configuration, has a gateway assembled that owns the
/// process (actors/embed), and waits for its end.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "actors/embed/assembly.hpp"
#include "config/cli.hpp"
#include "config/reference.hpp"
#include "config/schema.hpp"
#include "config/validate.hpp"
#include "protocol/endpoints.hpp"
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

int run(const config::cli_options& o, std::string_view document, std::optional<file_stamp> known) {
  const bool file = o.source.from == config::source::kind::file;
  embed::assembly_options a;
  a.world.host = o.host;
  a.world.port = o.port;
  a.world.threads = o.threads;
  a.secrets = environment_variable;
  a.record = {o.record, o.record_limit, o.record_redact};
  if (file) a.read_config = [path = o.source.text] { return read_regular_file(path); };
  if (o.watch && file)
    a.world.watch = {o.source.text, known};
  else if (o.watch)
    log::warn("--watch is ignored: the document is not in a file.");
  auto started = embed::assembly::start(document, std::move(a));
  if (const auto* wrong = std::get_if<embed::problems>(&started)) return print_problems(*wrong);
  auto& gateway = std::get<std::unique_ptr<embed::assembly>>(started);
  settle_down();
  gateway->ended().wait();
  const bool orderly = gateway->in_good_order();
  gateway.reset();  // joins the threads
  if (!orderly) return config::exit_invalid;
  log::info("Stopped.");
  return config::exit_ok;
}

int run_or_validate(const config::cli_options& o) {
  // Before it is read: what changes while it is read is a change.
  std::optional<file_stamp> known;
  if (o.source.from == config::source::kind::file)
    if (const auto stamp = stamp_of(o.source.text)) known = *stamp;
  const auto text = read_source(o.source);
  if (!text) return complain(text.error().what);
  if (o.action == config::cli_action::validate) {
    if (const auto p = config::load(*text); !p.problems.empty()) return print_problems(p.problems);
    std::cout << "config OK\n";
    return config::exit_ok;
  }
  log::init(o.log_format == config::log_format::json ? log::format::json : log::format::text,
            static_cast<log::level>(o.log_level));
  return run(o, *text, known);
}

}  // namespace

int main(int argc, char** argv) {
  gate::ignore_hangup();  // until WATCH takes it
  const auto cli = config::parse_cli(
      {const_cast<const char* const*>(argv) + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)},
      environment_variable);
  if (const auto* error = std::get_if<config::usage_error>(&cli)) {
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
      return http_answers(o.host, o.port, std::string(row(endpoint::health).path))
                 ? config::exit_ok
                 : config::exit_invalid;
    default:
      return run_or_validate(o);
  }
}
