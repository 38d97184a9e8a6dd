#include "actors/kubernetes/registry_actor.hpp"

#include <array>
#include <utility>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::kubernetes {
namespace {

/// From 0 to 1, of the program's own source.
list_watch::chance drawn_from(random_source random) {
  return [random = std::move(random)] {
    std::array<std::uint8_t, 2> bytes{};
    random(bytes);
    return (bytes[0] * 256.0 + bytes[1]) / 65536.0;
  };
}

}  // namespace

registry_actor::registry_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                               registry_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      core_(parts_.which, drawn_from(parts_.random)),
      table_(parts_.rules),
      published_(std::move(parts_.front)),
      tally_(*parts_.metrics, clock().now()) {
  set_down_handler([this](const caf::down_msg& m) {
    log::error("FOLLOWER crashed; gate-discovery ends.", {{"why", caf::to_string(m.reason)}});
    quit(m.reason);
  });
}

registry_actor::behavior_type registry_actor::make_behavior() {
  send(parts_.ingress, serve{caf::actor_cast<arrivals_handle>(this)});
  monitor(parts_.follower);
  take(core_.begin());
  return {
      [this](stop_requested) { stop(); },
      [](reload_requested) {
        log::info("There is nothing to read again: restart gate-discovery to change its options.");
      },
      [this](const arrival& m) { answer_to(*m.from); },
      [](const body_read&) {},
      [](const client_gone&) {},
      [this](const follow_began& m) {
        if (m.id == asked_) take(core_.on_began(m, clock().now()));
      },
      [this](const follow_said& m) {
        if (m.id != asked_) return;
        take(core_.on_said(m.bytes));
        if (m.id == asked_) send(parts_.follower, follow_on{m.id});
      },
      [this](const follow_ended& m) {
        if (m.id == asked_) take(core_.on_ended(m, clock().now()));
      },
      [this](const registry_due& m) {
        if (m.round != round_ || stopping_) return;
        take(std::exchange(waiting_, false) ? core_.on_waited() : core_.on_late(clock().now()));
      },
      [this](registry_drained) { send(parts_.ingress, cut{}); },
  };
}

void registry_actor::on_exit() {
  parts_.ingress = nullptr;
  parts_.follower = nullptr;
  parts_.token = nullptr;
  parts_.stopped = nullptr;
}

// --- the API server ------------------------------------------------------------------------------

void registry_actor::take(step s) {
  tally_.took(s, clock().now());
  if (s.drop) send(parts_.follower, stop_following{asked_});
  if (s.all) published_.listed(parts_.wall());
  bool news = s.all.has_value();
  if (s.all) table_.replace(std::move(*s.all));
  for (auto& c : s.changes) news |= c.gone ? table_.remove(c.what) : table_.put(std::move(c.what));
  if (news) publish();
  if (!s.trouble.empty()) tell_trouble(s);
  if (s.in_touch) {
    published_.touched();
    if (!std::exchange(trouble_, {}).empty()) log::info("The API server can be asked again.");
  }
  // Nothing that comes of the question before is heard from now on.
  if (s.drop || s.ask || s.wait) ++asked_;
  if (s.until) arm(*s.until);
  if (s.wait) {
    waiting_ = true;
    arm(*s.wait);
  }
  if (s.ask) ask(std::move(*s.ask));
}

void registry_actor::ask(std::string target) {
  auto token = parts_.token();
  if (!token) return take(core_.on_unasked(token.error().what));
  follow f;
  f.id = asked_;
  f.where = parts_.server;
  f.where.target = std::move(target);
  f.headers = "Accept: application/json\r\n";
  if (!token->empty()) f.headers += "Authorization: Bearer " + *token + "\r\n";
  f.ca_file = parts_.ca_file;
  f.asker = caf::actor_cast<follow_client>(this);
  send(parts_.follower, std::move(f));
}

void registry_actor::arm(std::chrono::milliseconds after) {
  delayed_send(this, after, registry_due{++round_});
}

void registry_actor::publish() {
  const bool first = !published_.complete();
  auto d = table_.document();
  tally_.published(d);
  tell_left_out(d.out);
  const auto upstreams = std::to_string(d.upstreams);
  if (!published_.publish(std::move(d.text), d.upstreams, d.out.size(), parts_.wall())) return;
  if (first)
    log::info("The Services of the cluster are known.", {{"upstreams", upstreams}});
  else
    log::info("The discovery document has changed.", {{"upstreams", upstreams}});
}

/// Each reason once for each Service.
void registry_actor::tell_left_out(const std::vector<left_out>& now) {
  std::map<std::string, std::string> told;
  std::size_t lines = 0, more = 0;
  for (const auto& l : now) {
    const auto before = left_out_.find(l.service);
    const bool known = before != left_out_.end() && before->second == l.why;
    told.emplace(l.service, l.why);
    if (known) continue;
    if (++lines <= limits::cluster_logged)
      log::warn("A Service is left out.", {{"service", l.service}, {"why", l.why}});
    else
      ++more;
  }
  if (more > 0) log::warn("Further Services are left out.", {{"services", std::to_string(more)}});
  left_out_ = std::move(told);
}

void registry_actor::tell_trouble(const step& s) {
  published_.lost(parts_.wall());
  // As long as nothing else is the matter, once.
  if (std::exchange(trouble_, s.trouble) == s.trouble) return;
  if (s.unwatched)
    log::warn("Services can not be watched; they are listed again and again until they can.",
              {{"why", s.trouble}});
  else if (s.anew)
    log::info("All Services are listed anew.", {{"why", s.trouble}});
  else
    log::warn("The API server can not be asked; what is known goes on to be served.",
              {{"why", s.trouble}});
}

// --- clients -------------------------------------------------------------------------------------

void registry_actor::answer_to(exchange& from) {
  const auto a = published_.answer_to(from.request());
  if (a.of_metrics) {
    tally_.age(clock().now());
    return from.respond({a.status, a.type, {}, stopping_},
                        {*parts_.metrics->exposed(clock().now())});
  }
  from.respond({a.status, a.type, a.headers, a.close || stopping_},
               {a.own_body.empty() ? a.body : std::string_view(a.own_body)});
}

void registry_actor::stop() {
  if (std::exchange(stopping_, true)) return;
  send(parts_.follower, stop_following{asked_});
  ++asked_;
  request(parts_.ingress, caf::infinite, drain{})
      .then(
          [this](const drained&) {
            if (parts_.stopped) parts_.stopped();
            quit();
          },
          [this](const caf::error& e) { quit(e); });
  delayed_send(this, limits::drain, registry_drained{});
}

}  // namespace gate::kubernetes
