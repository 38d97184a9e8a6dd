// gate-sim replay FILE --against URL: the requests of a recording, sent to a live gateway.
#include <signal.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "config/options/listening.hpp"
#include "config/options/options.hpp"
#include "simulations/against/sender.hpp"
#include "simulations/program/command.hpp"
#include "simulations/recording/load.hpp"
#include "simulations/recording/printable.hpp"
#include "transport/process.hpp"

namespace gate::sim_program {
namespace {

struct against_options {
  enum class action : std::uint8_t { send, help } what = action::send;
  std::vector<std::string> files{};
  std::string url{};
  std::uint64_t speed = 1;
  std::string bearer_env{};
  bool json = false;
};

constexpr std::array<config::option<against_options>, 5> against_rows{
    {{"--against", "URL", "the gateway: http://HOST:PORT or https://HOST:PORT; paths are recorded",
      config::as_text<&against_options::url>()},
     {"--speed", "N", "so many times as fast as it was recorded: {}",
      config::as_number<&against_options::speed, 1, 1000>()},
     {"--bearer-env", "NAME",
      "send the token in this environment variable with each request; recordings have none",
      config::as_text<&against_options::bearer_env>()},
     {"--json", "", "the report as one JSON object", config::as_flag<&against_options::json>()},
     {"--help", "", "this text",
      config::as_help<&against_options::what, against_options::action::help>()}}};

config::option_failure against_contradiction(const against_options& o) {
  if (o.what == against_options::action::help) return {};
  if (o.files.empty()) return "needs the file of a recording: gate-sim replay FILE --against URL";
  if (o.files.size() > 1)
    return "sends one recording at a time: \"" + o.files[1] + "\" is one too many";
  if (o.url.empty()) return "needs --against URL: the gateway that the requests are sent to";
  if (!o.bearer_env.empty() && !config::is_variable_name(o.bearer_env))
    return "--bearer-env takes the name of a variable, not the token itself";
  return {};
}

constexpr config::program<against_options> against_table{
    "gate-sim replay",
    "send the requests of a recording to a live gateway, at their times, and compare outcomes",
    "gate-sim replay FILE --against URL [OPTION…]",
    "0 all outcomes are equal, 1 some differ, 2 the recording can not be used or nobody is at the "
    "URL, 130 Ctrl-C",
    against_rows,
    true,
    nullptr,
    &against_options::files,
    {},
    against_contradiction};

std::atomic<bool> sending_stopped{false};

void on_sending_interrupt(int) {
  sending_stopped = true;
}

/// Nothing: standard error says why.
std::optional<against::plan> plan_of(const std::string& file) {
  against::planner planner;
  std::optional<problem> trouble;
  recording::listener to;
  std::atomic<bool> enough{false};
  to.event = [&](recording::event&& e) {
    if (trouble) return;
    trouble = planner.take(e);
    if (trouble) enough = true;
  };
  const auto loaded = recording::load(file, to, {false, &enough});
  if (trouble || !loaded) {
    complain_of(recording::printable(trouble ? file + ": " + trouble->what : loaded.error().what));
    return {};
  }
  for (const auto& note : loaded->notes) complain_of(recording::printable(file + ": " + note));
  return std::move(planner).finish();
}

int send_it(const against_options& o) {
  const auto url = http::parse_url(o.url);
  if (!url)
    return complain_of(recording::printable("--against " + o.url + ": " + url.error().what));
  if (url->target != "/")
    return complain_of(
        "--against takes the gateway's address without a path: the paths of requests are recorded");
  against::sending how{*url, static_cast<unsigned>(o.speed), {}, &sending_stopped};
  if (!o.bearer_env.empty()) {
    const auto token = environment_variable(o.bearer_env);
    if (!token || token->empty())
      return complain_of("the environment variable " + o.bearer_env + " is not set, or is empty");
    how.bearer = config::without_blanks(*token);
  }
  const auto plan = plan_of(o.files.front());
  if (!plan) return exit_unusable;
  struct sigaction taken {};
  taken.sa_handler = on_sending_interrupt;
  ::sigaction(SIGINT, &taken, nullptr);
  const auto report = against::send(*plan, how);
  if (!report) return complain_of(recording::printable(report.error().what));
  const bool interrupted = sending_stopped;
  std::cout << (o.json ? report->json(*plan, interrupted) : report->text(*plan, interrupted))
            << std::flush;
  if (interrupted) return exit_interrupted;
  return report->differ() == 0 ? exit_good : exit_bad;
}

}  // namespace

int against_command(arguments args) {
  const auto parsed = config::parse(against_table, args);
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain_of(wrong->what);
  const auto& o = std::get<against_options>(parsed);
  if (o.what == against_options::action::help) {
    std::cout << config::help_of(against_table);
    return exit_good;
  }
  return send_it(o);
}

}  // namespace gate::sim_program
