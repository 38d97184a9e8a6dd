#include "simulations/world/far_store.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::sim {

using namespace std::chrono_literals;

void store_link::be(trouble what) {
  now = what;
  if (door) door->look();
}

far_store_door::far_store_door(caf::actor_config& cfg, std::shared_ptr<fake_store> server,
                               std::shared_ptr<store_link> link)
    : store_handle::extend<caf::reacts_to<store_due>>::base(cfg),
      server_(std::move(server)),
      link_(std::move(link)),
      life_(server_->life()) {
  server_->hear_by(this);
  link_->door = this;
  link_->here = reaches();
  set_down_handler([this](const caf::down_msg& m) {
    watchers_.erase(m.source.id());
    listeners_.erase(m.source.id());
  });
}

far_store_door::behavior_type far_store_door::make_behavior() {
  quiet_since_ = clock().now();
  tick();
  return {
      [](const store_due& m) { (*m.what)(); },
      [this](const ask_store& m) { ask(m); },
      [this](const watch_store& m) {
        if (watchers_.emplace(m.who.id(), m.who).second) monitor(m.who);
        send(m.who, store_turned{link_->here});
      },
      [this](const listen_to_store& m) {
        const auto [it, met] = listeners_.try_emplace(m.who.id());
        if (met) monitor(m.who);
        it->second.who = m.who;
        it->second.channels.insert(m.channels.begin(), m.channels.end());
        send(m.who, store_turned{link_->here});
      },
      [this](const unlisten_store& m) {
        const auto it = listeners_.find(m.who.id());
        if (it == listeners_.end()) return;
        for (const auto& channel : m.channels) it->second.channels.erase(channel);
      },
  };
}

void far_store_door::on_exit() {
  server_->hear_by_no_more(this);
  link_->door = nullptr;
  link_->here = false;
  asked_.clear();
  watchers_.clear();
  listeners_.clear();
}

bool far_store_door::reaches() const {
  return server_->here() && link_->now == trouble::none;
}

/// One that was made to a run that is over is none, also before its end is noticed here.
bool far_store_door::is_connected() const {
  return link_->here && link_->now != trouble::cut && leads_to_ == run_;
}

/// From outside as well: messages, as from anybody.
void far_store_door::wake(std::chrono::milliseconds after, std::function<void()> what) {
  store_due due{std::make_shared<std::function<void()>>(std::move(what))};
  const auto self = caf::actor_cast<caf::actor>(this);
  if (after == 0ms) return caf::anon_send(self, std::move(due));
  caf::delayed_anon_send(self, after, std::move(due));
}

far_store_door::time_point far_store_door::due_behind(time_point last) {
  auto at = clock().now();
  if (link_->longest > 0ms)
    at += std::chrono::milliseconds(link_->dice() % (link_->longest.count() + 1));
  at = std::max(at, last);
  wake(std::chrono::ceil<std::chrono::milliseconds>(at - clock().now()), [this] { deliver(); });
  return at;
}

void far_store_door::ask(const ask_store& m) {
  if (!link_->here) return send(m.asker, store_told{m.what.id, store_outcome::away, nullptr});
  const auto number = next_++;
  asked_.emplace(number, asked{m.what.id, m.asker});
  put(number, m.what);
  wake(limits::store_operation, [this, number] { miss(number); });
}

void far_store_door::put(std::uint64_t number, store_request what) {
  const auto due = due_behind(sent_.empty() ? time_point{} : sent_.back().due);
  sent_.push_back({due, number, connection_, leads_to_, std::move(what)});
}

void far_store_door::come_back(std::deque<coming>& by, coming what) {
  what.due = due_behind(by.empty() ? time_point{} : by.back().due);
  by.push_back(std::move(what));
}

void far_store_door::deliver() {
  arrive();
  bring(answers_);
  bring(news_);
}

/// On a connection that lives nothing is lost: it comes later. What was under way on one that was
/// given up, the store may have read or not.
void far_store_door::arrive() {
  while (!sent_.empty() && sent_.front().due <= clock().now() && link_->now != trouble::stalls) {
    const bool old = sent_.front().connection != connection_;
    if (!old && link_->now == trouble::swallows) return;
    auto it = std::move(sent_.front());
    sent_.pop_front();
    const bool lost = link_->now == trouble::cut || link_->now == trouble::swallows;
    if (!old || (!lost && link_->dice() % 2 == 0)) arrive(std::move(it), old);
  }
}

void far_store_door::arrive(sent it, bool old) {
  if (!server_->here() || it.run != run_) return;
  const auto reply = resp::parse(server_->run(it.what, clock().now()));
  if (old || it.number == 0) return;
  come_back(answers_, {{}, it.number, {0, outcome_of(reply->root()), reply}, {}});
}

void far_store_door::bring(std::deque<coming>& from) {
  while (!from.empty() && from.front().due <= clock().now()) {
    if (link_->now == trouble::keeps || link_->now == trouble::stalls) return;
    auto it = std::move(from.front());
    from.pop_front();
    quiet_since_ = clock().now();
    if (it.heard) {
      for (const auto& [id, l] : listeners_)
        if (l.channels.contains(it.heard->channel)) send(l.who, *it.heard);
      continue;
    }
    missed_ = 0;
    const auto node = asked_.extract(it.number);
    if (!node) continue;
    it.told.id = node.mapped().id;
    send(node.mapped().who, std::move(it.told));
  }
}

void far_store_door::miss(std::uint64_t number) {
  const auto node = asked_.extract(number);
  if (!node) return;
  send(node.mapped().who, store_told{node.mapped().id, store_outcome::timeout, nullptr});
  if (++missed_ >= limits::store_timeouts) lose();
}

void far_store_door::lose() {
  if (!std::exchange(link_->here, false)) return;
  ++connection_;
  missed_ = 0;
  answers_.clear();
  news_.clear();
  for (auto& [number, a] : std::exchange(asked_, {}))
    send(a.who, store_told{a.id, store_outcome::lost, nullptr});
  tell_all({false, false});
}

void far_store_door::tell_all(store_turned what) {
  for (const auto& [id, who] : watchers_) send(who, what);
  for (const auto& [id, l] : listeners_) send(l.who, what);
}

/// Every second: a connection that is silent for long is given up, one that is gone is made anew.
void far_store_door::tick() {
  const auto now = clock().now();
  if (link_->here && !reaches() && now - quiet_since_ > limits::store_quiet) lose();
  if (!link_->here && reaches()) {
    link_->here = true;
    ++connection_;
    leads_to_ = run_;
    quiet_since_ = now;
    tell_all({true, std::exchange(life_, server_->life()) != server_->life()});
  }
  wake(1s, [this] { tick(); });
}

void far_store_door::look() {
  wake(0ms, [this] {
    if (link_->now == trouble::cut) lose();
    deliver();
  });
}

void far_store_door::turn(bool here) {
  if (here) return;  // it is looked for
  ++run_;
  wake(0ms, [this] { lose(); });
}

void far_store_door::hear(const store_heard& m) {
  if (!is_connected()) return;
  come_back(link_->apart ? news_ : answers_, {{}, 0, {}, m});
}

bool far_store_door::hears(const std::string& channel) const {
  return is_connected() && std::ranges::any_of(listeners_, [&](const auto& l) {
           return l.second.channels.contains(channel);
         });
}

}  // namespace gate::sim
