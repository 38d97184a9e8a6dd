// A story: actors that crash, documents that change, and what is broken on purpose.
#include <algorithm>

#include "simulations/stories/story.hpp"
#include "simulations/stories/thief.hpp"
#include "transport/log.hpp"

namespace gate::churn {

using namespace sim;

namespace {

/// Who may crash. (AUDIT, SINK and ROUTER lose what they hold by their nature: tests are
/// about them.)
constexpr std::array mortal{"upstream",     "upstream",      "bridged session", "bridged session",
                            "root session", "breaker",       "balancer",        "rate limiter",
                            "budget",       "loader",        "health",          "discovery",
                            "tasks",        "endpoint check"};

/// Answers a request itself, and hands it on.
class meddler final : public arrivals_handle::base {
 public:
  meddler(caf::actor_config& cfg, arrivals_handle router)
      : arrivals_handle::base(cfg), router_(std::move(router)) {}
  behavior_type make_behavior() override {
    return {[this](arrival& m) {
              m.from->respond({200, "application/json", {}, false}, {"{}"});
              send(router_, std::move(m));
            },
            [](const body_read&) {}, [](const client_gone&) {}};
  }
  void on_exit() override { router_ = nullptr; }
  const char* name() const override { return "meddler"; }

 private:
  arrivals_handle router_;
};

}  // namespace

/// GATEWAY spawns a unit's UPSTREAMs in the order of the document; those of upstreams that stay are
/// never replaced.
void story::remember_first_cast() {
  const auto all = world_->cast("upstream");
  const auto count = scenario_.upstreams.size();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (stays(scenario_, scenario_.upstreams[i % count])) first_upstreams_.push_back(all[i]->id());
}

/// Is it part of an upstream whose calls must not fail? Of a session nothing is known but what its
/// server saw of it.
bool story::protects(const std::string& kind, const caf::actor& who) const {
  if (kind == "upstream")
    return std::ranges::find(first_upstreams_, who->id()) != first_upstreams_.end();
  if (kind != "bridged session" && kind != "root session") return false;
  for (const auto& name : fleet_.all()) {
    const bool weak = name == "sick" || name == "ill" || name.starts_with('d') ||
                      (name.starts_with('t') && !scenario_.steady);
    if (!weak) continue;
    const auto& seen = fleet_.host(name).seen();
    if (std::ranges::any_of(seen, [&](const auto& s) { return s->asker.id() == who->id(); }))
      return false;
  }
  return true;
}

void story::crash(std::uint32_t kind, std::uint32_t which) {
  const std::string name = mortal[kind % mortal.size()];
  auto all = world_->cast(name);
  std::erase_if(all, [&](const auto& who) { return protects(name, who); });
  if (all.empty()) return;
  const auto& victim = all[which % all.size()];
  note("  " + name + '#' + std::to_string(victim->id()) + " crashes");
  evidence_.crashed.insert(name);
  evidence_.crashes.emplace_back(name, world_->now());
  world_->crash(victim);
}

// --- documents -----------------------------------------------------------------------------------

void story::reload(const operation& o) {
  change(wish_, scenario_, o.a, o.b);
  reload_to(document(wish_, scenario_), true, o.what == act::hang_up);
}

void story::bad_reload(const operation& o) {
  reload_to(bad_document(wish_, scenario_, o.a), false, o.b % 2);
}

void story::reload_to(const std::string& text, bool good, bool by_signal) {
  if (by_signal) {
    world_->write_config(text);
    return world_->hang_up();
  }
  std::size_t beside = 0;
  for (std::size_t i = 0; i < reload_answers_.size(); ++i) {
    if (reload_answers_[i].done()) continue;
    ++beside;
    ++evidence_.reloads[i].beside;
  }
  evidence_.reloads.push_back({good, false, false, beside, {}});
  reload_answers_.push_back(world_->reload(text));
}

// --- what is broken on purpose -------------------------------------------------------------------

/// When the gateway is told to end.
void story::cut_the_drain() {
  for (auto& v : visitors_)
    if (auto* here = meet(static_cast<std::uint32_t>(index_of(v))))
      for (int n = 0; n < 7; ++n) call(*here, "good");
  for (auto& r : evidence_.requests) r.under_way = !r.receipt->done();
  world_->settle();
  for (const auto& router : world_->cast("router"))
    world_->tell(caf::actor_cast<router_handle>(router), end_calls{});
}

void story::let_the_canary_in() {
  auto& w = *world_;
  const auto hand_to = [&](const arrivals_handle& somebody) {
    w.settle();
    auto* v = meet(0);
    if (!v) return;
    // What INGRESS delivers goes to somebody else for once.
    const auto number = std::to_string(next_number_);
    auto r = std::make_shared<receipt>();
    r->number = 1'000'000 + next_number_;
    auto body = R"({"jsonrpc":"2.0","id":)" + number +
                R"(,"method":"tools/call","params":{"name":"good__t)" + number + R"("}})";
    auto sent_to =
        make_request(verb::post, "/mcp",
                     {"Host: localhost", "Accept: application/json, text/event-stream",
                      "Content-Type: application/json", "Mcp-Session-Id: " + v->as.session},
                     std::move(body));
    w.tell(somebody, arrival{std::make_shared<fake_exchange>(r, std::move(sent_to))});
    sent(request::kind::call, r, 0).upstream = "good";
    w.settle();
  };
  switch (scenario_.bird) {
    case canary::answers_twice:
      return hand_to(w.system().spawn<meddler>(w.ingress().router));
    case canary::drops_answer:
      return hand_to(w.system().spawn<thief>());
    case canary::keeps_memory: {
      constexpr std::size_t kept_bytes = 2UL * 1024 * 1024;
      static std::vector<std::string> kept;
      kept.emplace_back(kept_bytes, 'x');
      return;
    }
    case canary::hides_backlog: {
      w.settle();
      auto* v = meet(0);
      if (v == nullptr) return;
      call(*v, "good");
      pass(std::chrono::seconds(2));
      listen(*v, false);
      pass(std::chrono::seconds(1));
      fleet_.announce("good", 100, true);
      return pass(std::chrono::seconds(1));
    }
    case canary::loses_audit:
      return w.lose_audit_line();
    case canary::told_key:
      return log::warn("A request can not be sent.", {{"key", key_of("good")}});
    case canary::failing_good:
      return fleet_.fail_good_once();
    case canary::wide_limit:
    case canary::wide_budget:
      w.settle();
      if (auto* v = meet(0))
        for (int i = 0; i < 20; ++i) call(*v, scenario_.bird == canary::wide_limit ? "lim" : "pen");
      return;
    case canary::swapped_replicas:
      w.settle();
      return fleet_.swap_replicas();
    default:
      return;
  }
}

}  // namespace gate::churn
