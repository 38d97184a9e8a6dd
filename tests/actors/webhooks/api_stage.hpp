#pragma once
/// API on a stage: in front of a fake INGRESS, with a LEDGER that keeps what it is told in memory,
/// a DISPATCH and TRIALS that write down what they hear. Requests are arrivals, and whoever sent
/// one keeps its receipt; time is virtual.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "actors/webhooks/api_actor.hpp"
#include "simulations/world/actor_stage.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "tests/actors/webhooks/fake_books.hpp"

namespace gate::hooks {

struct stage_state {
  arrivals_handle router;
  std::optional<caf::typed_response_promise<gate::drained>> draining;
  bool cut = false;

  fake_books books;
  bool silent = false;                               ///< LEDGER does not answer (yet)
  std::optional<ledger::refusal::reason> refuses{};  ///< LEDGER refuses everything
  std::deque<ask_ledger> unanswered;
  std::vector<ledger::request> asked;

  std::vector<due_told> due;
  std::vector<follow_webhook> followed;
  std::vector<std::uint64_t> unfollowed;
  std::vector<try_webhook> trials;
};
using stage_ptr = std::shared_ptr<stage_state>;

/// To the fake LEDGER: answer what waits. To the fake INGRESS: its last connection is gone.
struct answer_all {};
struct all_gone {};

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::answer_all)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::all_gone)

namespace gate::hooks {

class fake_ingress final : public ingress_handle::extend<caf::reacts_to<all_gone>>::base {
 public:
  fake_ingress(caf::actor_config& cfg, stage_ptr s)
      : ingress_handle::extend<caf::reacts_to<all_gone>>::base(cfg), it_(std::move(s)) {}
  behavior_type make_behavior() override {
    return {
        [this](serve& m) { it_->router = std::move(m.router); },
        [](adopt&) {},
        [this](drain) -> caf::result<gate::drained> {
          auto promise = make_response_promise<gate::drained>();
          it_->draining = promise;
          return promise;
        },
        [this](cut) { it_->cut = true; },
        [this](all_gone) {
          if (it_->draining) it_->draining->deliver(gate::drained{});
          it_->draining.reset();
        },
    };
  }

 private:
  stage_ptr it_;
};

using fake_ledger_handle = ledger_handle::extend<caf::reacts_to<answer_all>>;
class fake_ledger final : public fake_ledger_handle::base {
 public:
  fake_ledger(caf::actor_config& cfg, stage_ptr s)
      : fake_ledger_handle::base(cfg), it_(std::move(s)) {}
  behavior_type make_behavior() override {
    return {
        [this](ask_ledger& m) {
          it_->asked.push_back(m.what);
          it_->unanswered.push_back(std::move(m));
          if (!it_->silent) answer();
        },
        [this](answer_all) { answer(); },
    };
  }

 private:
  void answer() {
    while (!it_->unanswered.empty()) {
      auto m = std::move(it_->unanswered.front());
      it_->unanswered.pop_front();
      if (it_->refuses)
        send(m.asker, ledger_told{m.number, ledger::refusal{*it_->refuses, "no"}});
      else
        send(m.asker, ledger_told{m.number, it_->books.perform(m.what)});
    }
  }
  stage_ptr it_;
};

inline dispatch_handle::behavior_type fake_dispatch(dispatch_handle::pointer, stage_ptr it) {
  return {
      [it](due_told& m) { it->due.push_back(std::move(m)); },
      [it](follow_webhook& m) { it->followed.push_back(std::move(m)); },
      [it](const unfollow& m) { it->unfollowed.push_back(m.number); },
  };
}

inline trials_handle::behavior_type fake_trials(trials_handle::pointer, stage_ptr it) {
  return {[it](try_webhook& m) { it->trials.push_back(std::move(m)); }};
}

/// Organizations of the stage: `acme` may do everything, `other` as well, `reader` may not.
inline constexpr std::string_view acme = "token-of-acme-0123", other = "token-of-other-0123",
                                  reader = "token-of-reader-0123";

class api_stage : public sim::actor_stage {
 public:
  using receipt_ptr = sim::receipt_ptr;
  using lines = std::vector<std::string>;

  explicit api_stage(bool tokens = true, bool loopback = false) {
    ingress_ = system().spawn<fake_ingress>(it);
    ledger_ = system().spawn<fake_ledger>(it);
    dispatch_ = system().spawn(fake_dispatch, it);
    trials_ = system().spawn(fake_trials, it);
    api_parts p;
    if (tokens) p.front.who = organizations();
    p.calling.loopback = loopback;
    p.first_pause = std::chrono::seconds{3};
    p.ingress = caf::actor_cast<ingress_handle>(ingress_);
    p.ledger = caf::actor_cast<ledger_handle>(ledger_);
    p.dispatch = dispatch_;
    p.trials = trials_;
    p.metrics = metrics_;
    p.wall = [this] { return wall; };
    p.random = [dice = std::make_shared<std::mt19937_64>(1)](std::span<std::uint8_t> out) {
      for (auto& byte : out) byte = static_cast<std::uint8_t>((*dice)());
    };
    p.page = page;
    p.accepted = [this](webhook::event_type t) { counted.push_back(t); };
    api_ = system().spawn<api_actor>(nullptr, std::move(p));
    settle();
  }
  ~api_stage() override {
    it->router = nullptr;
    it->draining.reset();
    it->unanswered.clear();
    it->followed.clear();
    it->trials.clear();
    api_ = nullptr;
    ingress_ = nullptr;
    ledger_ = nullptr;
    dispatch_ = nullptr;
    trials_ = nullptr;
    clear_stage();
  }

  receipt_ptr arrive(http_request r) {
    auto receipt = std::make_shared<sim::receipt>();
    receipt->number = next_++;
    tell(it->router, arrival{std::make_shared<sim::fake_exchange>(receipt, std::move(r))});
    return receipt;
  }
  receipt_ptr call(verb v, std::string_view target, std::string body = {},
                   std::string_view token = acme, lines more = {}) {
    return arrive(request(v, target, std::move(body), token, std::move(more)));
  }
  static http_request request(verb v, std::string_view target, std::string body,
                              std::string_view token, lines more = {}) {
    lines all{"Host: localhost"};
    if (!token.empty()) all.push_back("Authorization: Bearer " + std::string(token));
    if (!body.empty()) all.emplace_back("Content-Type: application/json");
    all.insert(all.end(), more.begin(), more.end());
    return sim::make_request(v, target, all, std::move(body));
  }
  receipt_ptr get(std::string_view target, std::string_view token = acme) {
    return call(verb::get, target, {}, token);
  }
  receipt_ptr post(std::string_view target, std::string body = {}, std::string_view token = acme,
                   lines more = {}) {
    return call(verb::post, target, std::move(body), token, std::move(more));
  }
  void leave(const receipt_ptr& r) {
    r->alive = false;
    tell(it->router, client_gone{r->number});
  }
  /// The body of a request of which the header came first.
  void bring_body(const receipt_ptr& r, http::defect flaw = http::defect::none) {
    auto& request = *std::exchange(r->unread, nullptr);
    request.body = std::move(r->body_to_come);
    request.flaw = flaw;
    request.body_follows = false;
    tell(it->router, body_read{r->number});
  }

  /// A new webhook of everything; its id.
  std::string make_webhook(std::string_view token = acme) {
    const auto r = post("/webhooks", R"({"url":"https://a.example.com/x","events":["*"]})", token);
    EXPECT_EQ(r->status, 201) << r->body;
    return it->books.webhooks.back().id;
  }

  /// LEDGER answers again, all that waits first.
  void answer() {
    it->silent = false;
    tell(ledger_, answer_all{});
  }
  void attempt(std::uint64_t number, std::string delivery, webhook::state how) {
    tell(api_, attempt_told{number, std::move(delivery), how});
  }
  void trial(std::uint64_t number, webhook::outcome how) { tell(api_, tried{number, how}); }

  void lose_ledger() { crash(std::exchange(ledger_, nullptr)); }
  void lose_dispatch() { crash(std::exchange(dispatch_, nullptr)); }
  void lose_trials() { crash(std::exchange(trials_, nullptr)); }
  void start_ledger() {
    it->unanswered.clear();
    ledger_ = system().spawn<fake_ledger>(it);
    tell(api_, use_parts{caf::actor_cast<ledger_handle>(ledger_), {}, {}});
  }
  void start_dispatch() {
    dispatch_ = system().spawn(fake_dispatch, it);
    tell(api_, use_parts{{}, dispatch_, {}});
  }
  void start_trials() {
    trials_ = system().spawn(fake_trials, it);
    tell(api_, use_parts{{}, {}, trials_});
  }
  void stop() { tell(api_, end_api{}); }
  void drained() { tell(ingress_, all_gone{}); }
  bool over() const { return cast("api").empty(); }

  static webhook::callers organizations() {
    const std::vector<webhook::organization> all{
        {"acme", "A", true}, {"other", "B", true}, {"reader", "C", false}};
    return *webhook::callers::of(all, [](std::string_view name) {
      return std::optional<std::string>(name == "A" ? acme : name == "B" ? other : reader);
    });
  }

  stage_ptr it = std::make_shared<stage_state>();
  std::vector<webhook::event_type> counted;
  std::chrono::system_clock::time_point wall{std::chrono::milliseconds{1'700'000'000'123}};
  static inline std::function<api_answer(const http_request&)> page;

 private:
  std::shared_ptr<metrics> metrics_ = std::make_shared<metrics>();
  std::uint64_t next_ = 1;
  ingress_handle::extend<caf::reacts_to<all_gone>> ingress_;
  fake_ledger_handle ledger_;
  dispatch_handle dispatch_;
  trials_handle trials_;
  api_handle api_;
};

}  // namespace gate::hooks
