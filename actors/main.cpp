/// `gate`: reads the command line and the configuration, has a gateway assembled that owns the
/// process (actors/embed), and waits for its end. `gate doctor` has all looked at that a document
/// names instead.
#include <chrono>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/doctor/report.hpp"
#include "actors/embed/assembly.hpp"
#include "actors/embed/checkup.hpp"
#include "config/cli.hpp"
#include "config/doctor_options.hpp"
#include "config/reference.hpp"
#include "config/schema.hpp"
#include "config/validate.hpp"
#include "protocol/endpoints.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/runtime.hpp"
#include "transport/surroundings.hpp"

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

/// `gate doctor`. What it finds goes to standard output, how far it is to a terminal.
int examine(const config::doctor_options& o) {
  ignore_broken_pipes();
  // What it uses has nothing to log that is not found.
  log::init(log::format::text, log::level::error);
  const auto text = read_source(o.source);
  if (!text && !o.json) return complain(text.error().what);
  if (!text) {
    const doctor::findings unread{{doctor::severity::error,
                                   doctor::check::document,
                                   {},
                                   {},
                                   text.error().what,
                                   "see whether --config names it, and who may read it"}};
    std::cout << doctor::as_json(unread) << std::flush;
    return config::exit_invalid;
  }
  embed::checkup_options c;
  c.host = o.host;
  c.port = o.port;
  c.threads = o.threads;
  c.each = std::chrono::seconds(o.timeout);
  c.secrets = environment_variable;
  const bool shows = errors_on_terminal();
  if (shows)
    c.progress = [](std::size_t n, std::size_t all) {
      std::cerr << "\rlooked at " << n << " of " << all << (n == all ? "\r\x1b[K" : "")
                << std::flush;
    };
  const auto found = embed::check_up(*text, c);
  if (!found) return complain(found.error().what);
  std::cout << (o.json ? doctor::as_json(*found) : doctor::as_lines(*found)) << std::flush;
  return doctor::has_errors(*found) ? config::exit_invalid : config::exit_ok;
}

int run_doctor(std::span<const char* const> args) {
  const auto parsed = config::parse_doctor(args, environment_variable);
  if (const auto* error = std::get_if<config::usage_error>(&parsed)) {
    std::cerr << "gate doctor: " << error->what << '\n';
    return config::exit_usage;
  }
  const auto& o = std::get<config::doctor_options>(parsed);
  if (o.action == config::doctor_options::action_kind::run) return examine(o);
  std::cout << config::doctor_help();
  return config::exit_ok;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<const char* const> args(const_cast<const char* const*>(argv) + 1,
                                          static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  // Its environment has secrets; programs of the same user are not to read them there.
  forbid_inspection();
  if (!args.empty() && args.front() == config::doctor_command) return run_doctor(args.subspan(1));
  gate::ignore_hangup();  // until WATCH takes it
  const auto cli = config::parse_cli(args, environment_variable);
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
