// gate-sim run: many stories.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "protocol/http/ascii.hpp"
#include "simulations/program/chosen.hpp"
#include "simulations/program/command.hpp"
#include "simulations/program/progress.hpp"
#include "simulations/program/run_options.hpp"
#include "simulations/runs/account.hpp"
#include "simulations/runs/memory_watch.hpp"
#include "simulations/runs/shorten.hpp"

namespace gate::sim_program {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  interrupted = 1;
}

/// On a terminal a bar that is drawn over and over, elsewhere a line every ten seconds.
class progress_printer {
 public:
  explicit progress_printer(std::uint64_t seeds) : seeds_(seeds) {}
  ~progress_printer() { clear(); }
  progress_printer(const progress_printer&) = delete;
  progress_printer& operator=(const progress_printer&) = delete;

  void show(const runs::run_summary& s) {
    using namespace std::chrono_literals;
    if (s.elapsed < due_) return;
    due_ = s.elapsed + (terminal_ ? 200ms : 10'000ms);
    if (!terminal_) {
      std::cerr << progress_line(s, seeds_) << std::endl;
      return;
    }
    std::cerr << "\r\x1b[K" << progress_bar(s, seeds_, columns()) << std::flush;
    drawn_ = true;
  }
  void clear() {
    if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
    drawn_ = false;
  }

 private:
  static std::size_t columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 79;
    return size.ws_col - 1U;
  }

  std::uint64_t seeds_;
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool drawn_ = false;
  std::chrono::milliseconds due_{terminal_ ? 200 : 10'000};
};

std::string shortened_text(std::string_view kind, runs::plot_ptr story) {
  const auto before = story->length();
  story = runs::shorten(std::move(story), runs::complaints_apart);
  std::string out = "Shortened from " + std::to_string(before) + " operations to " +
                    std::to_string(story->length()) + ":\n";
  out += "  (" + story->setup() + ")\n";
  for (std::size_t i = 0; i < story->length(); ++i) out += "  " + story->operation(i) + '\n';
  return out + seen_and_expected(kind, runs::complaints_apart(*story));
}

/// Is it another file than a page of a former story?
bool is_of_others(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  constexpr std::string_view begin = "<!doctype html>";
  std::ifstream in(path, std::ios::binary);
  std::string first(begin.size(), ' ');
  if (!in || !in.read(first.data(), static_cast<std::streamsize>(first.size())))
    return in.gcount() > 0;
  return !http::same_text(first, begin);
}

void write_page(const std::string& path, const std::string& page) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!(out << page) || !out.flush())
    throw std::runtime_error("the page can not be written to " + path + ": " +
                             std::strerror(errno) +
                             "; name a file in a folder that can be written");
  std::cout << "The story is in " << path << '\n';
}

/// What else was asked for, about one story. The last thing that happens: from here on this process
/// tells stories itself.
void look_closer(const run_options& o, const runs::run_plan& p, const runs::run_summary& s) {
  const auto seed = s.first ? s.first->seed : p.from;
  auto story = p.of->make(seed, p.how, p.planted);
  if (!story) return;
  const bool of_all = s.first && runs::is_of_all_stories(s.first->complaints);
  if (o.shrink && of_all)
    std::cout << "No story of that process is to blame alone: there is none to shorten.\n";
  if (o.shrink && s.first && !of_all)
    std::cout << shortened_text(p.of->name(), p.of->make(seed, p.how, p.planted)) << std::flush;
  if (!o.report.empty()) write_page(o.report, runs::page_of(story->tell(runs::detail::page)));
  if (o.trace) std::cout << story->tell(runs::detail::events).trace << std::flush;
}

int exit_code_of(const runs::run_summary& s, const runs::run_plan& p) {
  if (s.interrupted) return exit_interrupted;
  return (p.planted.empty() ? s.failures == 0 : s.plant_found) ? exit_good : exit_bad;
}

int run_it(const run_options& o) {
  if (!o.report.empty() && is_of_others(o.report))
    return complain_of("--report: " + o.report +
                       " is there already and no page of a story; name another file");
  auto scenario = chosen_scenario(o.scenario());
  if (!scenario) return exit_unusable;
  runs::run_plan p;
  p.of = scenario->of;
  p.how = std::move(scenario->how);
  p.planted = o.plant;
  p.from = o.from;
  p.seeds = o.seeds;
  p.jobs = o.jobs != 0 ? o.jobs : std::max(1U, std::thread::hardware_concurrency());
  p.digest = o.digest;
  p.most_failures = o.failures;
  if (!o.plant.empty() && runs::find_plant(*p.of, o.plant) == nullptr)
    return complain_of("stories of the kind " + std::string(p.of->name()) + " have no fault \"" +
                       o.plant + "\" that could be planted; gate-sim plants lists them");
  struct sigaction taken {};
  taken.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &taken, nullptr);
  progress_printer bar(o.seeds);
  const auto s = runs::run_stories(p, {[&](const runs::verdict& v) {
                                         bar.clear();
                                         std::cout << violation_text(p.of->name(), o.scenario(), v,
                                                                     o.plant, o.from)
                                                   << std::flush;
                                       },
                                       [&](const runs::run_summary& so_far) {
                                         bar.show(so_far);
                                         return interrupted == 0;
                                       }});
  bar.clear();
  if (!s.interrupted) look_closer(o, p, s);
  if (s.plant_found) std::cout << seen_and_expected(p.of->name(), s.first->complaints);
  std::cout << summary_text(s, p) << std::flush;
  return exit_code_of(s, p);
}

}  // namespace

int run_command(arguments args) {
  const auto parsed = parse_run_options(args);
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain_of(wrong->what);
  const auto& o = std::get<run_options>(parsed);
  if (o.what == run_options::action::help) {
    std::cout << run_help();
    return exit_good;
  }
  return run_it(o);
}

}  // namespace gate::sim_program
