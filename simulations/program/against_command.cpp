// gate-sim replay FILE --against URL: the requests of a recording, sent to a live gateway.
#include <signal.h>
#include <algorithm>

#include <atomic>
#include <iostream>
#include <optional>
#include <string>

#include "config/options/listening.hpp"
#include "simulations/against/sender.hpp"
#include "simulations/program/command.hpp"
#include "simulations/program/replay_options.hpp"
#include "simulations/recording/load.hpp"
#include "simulations/recording/printable.hpp"
#include "transport/process.hpp"

namespace gate::sim_program {
namespace {

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

}  // namespace

int send_recording(const replay_options& o) {
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
      // Its name is not repeated: it may be a token, given by mistake.
      return complain_of("--bearer-env: no environment variable has this name, or it is empty");
    how.bearer = config::without_blanks(*token);
    if (std::ranges::any_of(how.bearer, [](char c) { return c <= ' ' || c >= 0x7f; }))
      return complain_of("--bearer-env: what stands in the variable is no bearer token");
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

}  // namespace gate::sim_program
