#include "actors/supervisor/reloads.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {

void reloads::by_program(reload_with what, answer to) {
  load({cause::program, std::move(to), 0}, std::move(what.text));
}

void reloads::by_signal() {
  // One is worked on, one waits: that will read whatever the file says then.
  const auto waiting =
      std::ranges::count_if(waiting_, [](const auto& x) { return x.second.why == cause::signal; });
  if (waiting < 2) load({cause::signal, {}, 0}, {});
}

void reloads::by_discovery(discovered what) {
  load({cause::discovery, {}, what.number}, std::move(what.text));
}

void reloads::load(wish w, std::optional<std::string> text) {
  const auto number = ++last_;
  const auto why = w.why;
  waiting_.emplace(number, std::move(w));
  const auto refuse = [&](std::string problem) {
    on_loaded({number, nullptr, {{{}, std::move(problem)}}, false});
  };
  if (door_.stopping()) return refuse("the gateway is stopping");
  if (!door_.has_loader())
    return refuse("the gateway can not judge documents at the moment: try again");
  if (waiting_.size() > limits::reloads) return refuse("too many reloads wait: try again");
  if (why == cause::discovery)
    door_.load(load_discovered{number, std::move(*text)});
  else
    door_.load(load_document{number, std::move(text)});
}

void reloads::on_loaded(const loaded& m) {
  auto node = waiting_.extract(m.number);
  if (!node) return;
  const auto& what = node.mapped();
  const bool good = m.snapshot != nullptr && !door_.stopping();
  if (good) door_.take_over(m.snapshot);
  auto problems = m.problems;
  const bool too_late = !good && problems.empty();
  if (too_late) problems.push_back({{}, "the gateway is stopping"});
  if (what.why == cause::discovery) {
    using outcome = discovery_settled::outcome;
    const auto came = good                    ? outcome::applied
                      : m.judged && !too_late ? outcome::refused
                                              : outcome::unjudged;
    return door_.settle({what.question, came, std::move(problems)});
  }
  tally_.count(m.number, good                    ? reload_outcome::applied
                         : m.judged && !too_late ? reload_outcome::rejected
                                                 : reload_outcome::error);
  if (!good)
    for (const auto& p : problems)
      log::error("The configuration was not reloaded, and nothing has changed.",
                 {{"problem", config::to_line(p)}});
  if (what.to) what.to({door_.generation(), std::move(problems)});
}

void reloads::loader_lost() {
  for (auto& [number, what] : std::exchange(waiting_, {})) {
    waiting_.emplace(number, std::move(what));
    on_loaded({number, nullptr, {{{}, "the gateway failed to judge the document"}}, false});
  }
}

}  // namespace gate::supervisor
