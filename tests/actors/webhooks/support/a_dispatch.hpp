#pragma once
/// DISPATCH in virtual time: a real LEDGER in memory, and receivers that answer as they are told.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/webhooks/dispatch_actor.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/events.hpp"
#include "simulations/world/fake_egress.hpp"
#include "simulations/world/memory_ledger.hpp"
#include "tests/actors/webhooks/support/noon.hpp"
#include "tests/support/actor_test.hpp"
#include "transport/log.hpp"

namespace gate::hooks::testing {

class a_dispatch : public sim::actor_test {
 protected:
  a_dispatch() {
    log_lines().clear();
    log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
    egress = system().spawn<sim::fake_egress>(net, std::size_t{0});
    restart_ledger();
  }
  ~a_dispatch() override {
    it = nullptr;
    ledger = nullptr;
    egress = nullptr;
    clear_stage();
    log::redirect(nullptr);
  }

  void restart_ledger() { ledger = system().spawn<sim::memory_ledger>(data); }
  void start() {
    auto common = std::make_shared<delivering_parts>();
    common->rules = rules;
    common->sending.answer = rules.answer;
    common->egress = egress;
    common->tally = std::make_shared<attempt_tally>(counted);
    common->wall = [this] { return wall(); };
    common->random = [this](std::span<std::uint8_t> out) {
      for (auto& b : out) b = static_cast<std::uint8_t>(dice = dice * 6364136223846793005U + 1);
    };
    it = system().spawn<dispatch_actor>(nullptr, dispatch_parts{ledger, common, alone});
    settle();
  }
  std::chrono::system_clock::time_point wall() { return noon + (now() - born) + skew; }
  wall_time wall_ms() { return std::chrono::floor<std::chrono::milliseconds>(wall()); }

  /// A webhook whose receiver is `host`.test; takes all there is with 200.
  void hook(const std::string& host, const std::string& organization = "acme") {
    webhook::webhook w;
    w.id = "hook_" + host;
    w.organization = organization;
    w.events = webhook::every_event;
    w.url = "https://" + host + ".test/in";
    w.secret = "0123456789abcdef";
    w.created = w.updated = wall_ms();
    data->get<webhook::webhook>(ledger::create_webhook{w});
    (*net)[host] = std::make_unique<sim::fake_upstream>(host);
    answers(host, sim::reply::http(200));
  }
  sim::fake_upstream& receiver(const std::string& host) { return *net->at(host); }
  void answers(const std::string& host, sim::reply r) {
    receiver(host).always("not JSON-RPC", std::move(r));
  }
  /// So many events, which all webhooks of the organization want.
  void accept(int n, const std::string& organization = "acme") {
    ledger::accept_events all{organization, {}, wall_ms(), wall_ms()};
    for (int i = 0; i < n; ++i) {
      const auto id = "evt_" + std::to_string(++events);
      all.events.push_back(
          {id, {}, wall_ms(), R"({"type":"deploy.success","n":")" + id + "\"}", {}});
    }
    for (const auto& w : data->get<ledger::accepted>(all).webhooks)
      tell(it, due_told{w, organization, wall_ms()});
  }
  std::vector<std::chrono::milliseconds> times(const std::string& host) {
    std::vector<std::chrono::milliseconds> out;
    for (const auto& s : receiver(host).seen())
      out.push_back(std::chrono::floor<std::chrono::milliseconds>(s->at - born));
    return out;
  }
  std::uint64_t count(webhook::state s) {
    return data->get<ledger::counts>(ledger::count_all{}).deliveries[static_cast<std::size_t>(s)];
  }
  webhook::webhook read(const std::string& host, const std::string& organization = "acme") {
    return data->get<webhook::webhook>(ledger::read_webhook{organization, "hook_" + host});
  }
  webhook::delivery only_delivery(const std::string& host) {
    const auto page = data->get<ledger::delivery_page>(
        ledger::list_deliveries{"acme", "hook_" + host, {}, {}, 100});
    return data
        ->get<ledger::whole_delivery>(ledger::read_delivery{"acme", page.deliveries.at(0).id})
        .delivery;
  }
  std::size_t destinations() { return cast("destination").size(); }
  static std::vector<std::string>& log_lines() {
    static std::vector<std::string> lines;
    return lines;
  }
  static bool logged(std::string_view what) {
    return std::ranges::any_of(
        log_lines(), [&](const std::string& l) { return l.find(what) != std::string::npos; });
  }

  std::shared_ptr<sim::fake_network> net = std::make_shared<sim::fake_network>();
  std::shared_ptr<sim::kept> data = std::make_shared<sim::kept>();
  metrics counted{metric::hooks_build_info};
  deliverer_rules rules{.schedule = {},
                        .answer = limits::webhook_answer,
                        .lease = limits::webhook_answer + limits::webhook_lease_margin,
                        .pause = limits::webhook_ledger_pause,
                        .in_flight = limits::webhook_attempts,
                        .held = limits::webhook_held,
                        .breaker = {.failure_threshold = limits::webhook_failures,
                                    .half_open_after = limits::webhook_left_alone}};
  bool alone = true;
  std::chrono::steady_clock::time_point born = now();
  std::chrono::milliseconds skew{0};
  std::uint64_t dice = 1;
  int events = 0;
  egress_handle egress;
  ledger_handle ledger;
  dispatch_user it;
};

}  // namespace gate::hooks::testing
