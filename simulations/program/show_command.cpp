// gate-sim show: what happened in a recording, as a table.
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "protocol/recording/schema.hpp"
#include "simulations/program/command.hpp"
#include "simulations/recording/load.hpp"
#include "simulations/recording/printable.hpp"
#include "simulations/recording/table.hpp"

namespace gate::sim_program {
namespace {

struct show_options {
  enum class action : std::uint8_t { show, schema, help } what = action::show;
  std::vector<std::string> files{};
  bool follow = false;
  bool json = false;
};

constexpr std::array<config::option<show_options>, 4> show_rows{
    {{"--follow", "", "wait for what is still being written, until the recording ends or Ctrl-C",
      config::as_flag<&show_options::follow>()},
     {"--json", "", "JSON Lines: one object a call, then {\"summary\":…}",
      config::as_flag<&show_options::json>()},
     {"--schema", "", "print the JSON Schema of a line of a recording",
      config::as_action<&show_options::what, show_options::action::schema>()},
     {"--help", "", "this text",
      config::as_help<&show_options::what, show_options::action::help>()}}};

config::option_failure show_contradiction(const show_options& o) {
  if (o.what == show_options::action::show && o.files.size() != 1)
    return o.files.empty()
               ? "needs the file of a recording: gate-sim show FILE"
               : "shows one recording at a time: \"" + o.files[1] + "\" is one too many";
  return {};
}

constexpr config::program<show_options> show_table{
    "gate-sim show",
    "show the calls of a recording: when, whose, which method, what came of it",
    "gate-sim show FILE [OPTION…]",
    "0 the recording was read, 2 it can not be used: standard error says why, and at which line",
    show_rows,
    true,
    nullptr,
    &show_options::files,
    {},
    show_contradiction};

/// An audit event that has not come by then does not.
constexpr unsigned looks_for_audit = 5;

std::atomic<bool> show_stopped{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_show_interrupt(int) {
  show_stopped = true;
}

std::size_t width_of_terminal() {
  if (::isatty(STDOUT_FILENO) != 1) return 0;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

int show(const show_options& o) {
  recording::preamble first;
  recording::table rows(width_of_terminal());
  recording::story story([&](recording::call&& c) {
    if (o.json) {
      std::cout << recording::json_line(c, first);
      return;
    }
    rows.add(c);
    if (rows.full()) std::cout << rows.take();
  });
  recording::listener to;
  to.first = [&](const recording::preamble& p) {
    first = p;
    story.begin(p);
  };
  unsigned looks = 0;
  to.event = [&](recording::event&& e) {
    looks = 0;
    story.take(e);
  };
  to.caught_up = [&] {
    if (++looks == looks_for_audit) story.wait_no_longer();
    std::cout << rows.take() << std::flush;
  };
  if (o.follow) {
    struct sigaction taken {};
    taken.sa_handler = on_show_interrupt;
    ::sigaction(SIGINT, &taken, nullptr);
  }
  const auto loaded = recording::load(o.files.front(), to, {o.follow, &show_stopped});
  if (!loaded) {
    // What stands before the line that is wrong is no less true.
    story.finish();
    std::cout << rows.take() << std::flush;
    return complain_of(recording::printable(loaded.error().what));
  }
  story.finish();
  std::cout << rows.take()
            << (o.json ? recording::json_summary(story.counts(), first, loaded->ending)
                       : recording::summary_line(story.counts(), first, loaded->ending))
            << std::flush;
  for (const auto& note : loaded->notes)
    complain_of(recording::printable(o.files.front() + ": " + note));
  return std::cout.good() ? exit_good : complain_of("standard output can not be written");
}

}  // namespace

int show_command(arguments args) {
  const auto parsed = config::parse(show_table, args);
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain_of(wrong->what);
  const auto& o = std::get<show_options>(parsed);
  switch (o.what) {
    case show_options::action::help:
      std::cout << config::help_of(show_table);
      return exit_good;
    case show_options::action::schema:
      std::cout << recording::schema();
      return exit_good;
    case show_options::action::show:
      return show(o);
  }
  return exit_good;
}

config::described_program show_line() {
  return config::described_of(show_table);
}

}  // namespace gate::sim_program
