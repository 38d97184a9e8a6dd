// gate-sim replay: a recording, played to the production actors in virtual time.
#include <algorithm>
#include <iostream>

#include "config/validate.hpp"
#include "simulations/program/command.hpp"
#include "simulations/program/replay_options.hpp"
#include "simulations/recording/large_heap.hpp"
#include "simulations/recording/load.hpp"
#include "simulations/recording/printable.hpp"
#include "simulations/replay/attempts.hpp"
#include "simulations/replay/judgement.hpp"
#include "transport/process.hpp"

namespace gate::sim_program {
namespace {

/// What a replay takes, of what the file has.
constexpr std::size_t heap_of_file = 6;

result<replay::tape> taped(const std::string& path) {
  recording::expect_heap(heap_of_file * recording::file_bytes(path.c_str()));
  replay::event_list events;
  recording::listener to;
  to.place = [&]() -> recording::event& { return events.emplace_back(); };
  auto read = recording::load(path, to);
  if (!read) return read.error();
  if (read->spare_place) events.pop_back();
  for (const auto& note : read->notes)
    complain_of(recording::printable(std::string(path).append(": ").append(note)));
  return replay::order(std::move(read->first), std::move(events), read->ending);
}

/// Everything that is wrong with a document, with the file's name; nothing: it can be used.
std::string faults_of(const std::string& text, const std::string& file) {
  std::string out;
  for (const auto& p : config::load(text).problems)
    out += recording::printable(file + ": " + config::to_line(p)) + '\n';
  return out;
}

/// Does every request end as it did?
bool same_outcomes(const replay::tape& of, const replay::played& p) {
  return std::ranges::all_of(replay::shifts(of, p),
                             [](const replay::shift& s) { return s.recorded == s.replayed; });
}

int what_if(const replay::tape& tape, const replay_options& o) {
  const auto text = read_file(o.config);
  if (!text) return complain_of(text.error().what);
  if (const auto faults = faults_of(*text, o.config); !faults.empty()) {
    std::cerr << faults;
    return exit_unusable;
  }
  const auto played = replay::play(tape, {*text});
  std::cout << (o.json ? replay::shifts_as_json(tape, played)
                       : replay::shifts_as_text(tape, played));
  return same_outcomes(tape, played) ? exit_good : exit_bad;
}

}  // namespace

int replay_command(arguments args) {
  const auto parsed = parse_replay_options(args);
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain_of(wrong->what);
  const auto& o = std::get<replay_options>(parsed);
  if (o.what == replay_options::action::help) {
    std::cout << replay_help();
    return exit_good;
  }
  if (!o.url.empty()) return send_recording(o);
  // Kept until the process ends: to take a million strings apart before that helps nobody.
  static const auto& tape = *new result<replay::tape>(taped(o.files.front()));
  if (!tape) return complain_of(recording::printable(tape.error().what));
  if (!o.config.empty()) return what_if(*tape, o);
  if (const auto faults = faults_of(tape->head.config, o.files.front()); !faults.empty()) {
    std::cerr << faults;
    return complain_of("the document in the recording is none that this version takes");
  }
  const auto played = replay::play(*tape, {});
  std::cout << (o.json ? replay::as_json(*tape, played)
                       : replay::as_text(*tape, played, static_cast<std::size_t>(o.most)));
  return replay::summed_up(*tape, played).all_equal() ? exit_good : exit_bad;
}

}  // namespace gate::sim_program
