// GATEWAY: another configuration. LOADER judges and compiles it; then it is taken over as one: new
// upstreams are started, ROUTERs and HEALTH get the snapshot, and what it no longer has is left.
//
//   cause                       refused                              taken over
//   SIGHUP, the changed file    the log says why                     the log says what
//   the embedding program       it is told why, as the log           it is told
//   discovery                   DISCOVERY is told why                the log says what
#include <algorithm>

#include "actors/reload/loader.hpp"
#include "actors/supervisor/credential_warnings.hpp"
#include "actors/supervisor/gateway.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {

void gateway::spawn_loader() {
  // What a LOADER that crashed has made, and nobody has seen, is forgotten.
  compiler_->follow(parts_.snapshot);
  reload::loader_parts parts{compiler_, parts_.read_config, caf::actor_cast<loading_user>(this)};
  loader_ = parts_.load_apart
                ? spawn<reload::loader, caf::monitored + caf::detached>(std::move(parts))
                : spawn<reload::loader, caf::monitored>(std::move(parts));
  born(single::loader);
}

void gateway::loader_down() {
  for (auto& [number, what] : std::exchange(loading_, {})) {
    loading_.emplace(number, std::move(what));
    on_loaded({number, nullptr, {{{}, "the gateway failed to judge the document"}}, false});
  }
}

caf::result<reloaded> gateway::reload(reload_with m) {
  auto promise = make_response_promise<reloaded>();
  const auto number = ++loads_;
  loading_.emplace(number, loading{loading::cause::program, promise, std::move(m.text), 0});
  load(number);
  return promise;
}

void gateway::reload_by_signal() {
  // One is worked on, one waits: that will read whatever the file says then.
  const auto waiting = std::ranges::count_if(
      loading_, [](const auto& x) { return x.second.why == loading::cause::signal; });
  if (waiting >= 2) return;
  const auto number = ++loads_;
  loading_.emplace(number, loading{loading::cause::signal, {}, {}, 0});
  load(number);
}

void gateway::on_discovered(discovered& m) {
  const auto number = ++loads_;
  loading_.emplace(number, loading{loading::cause::discovery, {}, std::move(m.text), m.number});
  load(number);
}

void gateway::load(std::uint64_t number) {
  const auto refuse = [&](std::string why) {
    on_loaded({number, nullptr, {{{}, std::move(why)}}, false});
  };
  if (phase_ != phase::running) return refuse("the gateway is stopping");
  if (!loader_) return refuse("the gateway can not judge documents at the moment: try again");
  if (loading_.size() > limits::reloads) return refuse("too many reloads wait: try again");
  auto& what = loading_.at(number);
  if (what.why == loading::cause::discovery)
    send(loader_, load_discovered{number, std::move(*what.text)});
  else
    send(loader_, load_document{number, std::move(what.text)});
}

void gateway::on_loaded(const loaded& m) {
  auto node = loading_.extract(m.number);
  if (!node) return;
  auto& what = node.mapped();
  const bool good = m.snapshot != nullptr && phase_ == phase::running;
  if (good) take_over(m.snapshot);
  auto problems = m.problems;
  const bool too_late = !good && problems.empty();
  if (too_late) problems.push_back({{}, "the gateway is stopping"});
  if (what.why == loading::cause::discovery) {
    using outcome = discovery_settled::outcome;
    const auto came = good                    ? outcome::applied
                      : m.judged && !too_late ? outcome::refused
                                              : outcome::unjudged;
    if (discovery_) send(discovery_, discovery_settled{what.question, came, std::move(problems)});
    return;
  }
  if (!good)
    for (const auto& p : problems)
      log::error("The configuration was not reloaded, and nothing has changed.",
                 {{"problem", config::to_line(p)}});
  if (what.why == loading::cause::program)
    what.answer.deliver(reloaded{parts_.snapshot->generation, std::move(problems)});
}

void gateway::take_over(snapshot_ptr next) {
  const auto before = std::exchange(parts_.snapshot, std::move(next));
  const auto& now = *parts_.snapshot;
  slots_.resize(std::max(slots_.size(), now.slots));
  std::size_t added = 0, retired = 0;
  for (const auto& u : before->upstreams) {
    if (now.at(u.index)) continue;
    ++retired;
    begin_to_leave(u.index);
  }
  for (const auto& u : now.upstreams) {
    if (before->at(u.index)) continue;
    ++added;
    retired_.back(u.id);
    open_slot(u);
    for (std::size_t n = 0; n < units_.size(); ++n)
      if (units_[n].router) spawn_upstream(n, u.index);
  }
  for (std::size_t n = 0; n < units_.size(); ++n) {
    const auto whom = federation(n);
    if (units_[n].router) send(units_[n].router, whom);
    if (n == 0 && health_) send(health_, whom);
  }
  forget_series(*before);
  // A unit without ROUTER asks nobody.
  for (const auto& u : before->upstreams)
    for (std::size_t n = 0; n < units_.size(); ++n)
      if (!now.at(u.index) && !units_[n].router) on_left({n, u.index});
  warn_of_credentials(before.get(), now);
  const auto found = now.upstreams.size() - now.discovered_from;
  log::info("The configuration was reloaded.", {{"upstreams", std::to_string(now.upstreams.size())},
                                                {"discovered", std::to_string(found)},
                                                {"added", std::to_string(added)},
                                                {"retired", std::to_string(retired)},
                                                {"generation", std::to_string(now.generation)}});
}

}  // namespace gate::supervisor
