#include "tests/support/upstream_stage.hpp"

#include <algorithm>

#include "config/validate.hpp"
#include "transport/log.hpp"

namespace gate::sim {
namespace {

using log_ptr = std::shared_ptr<upstream_log>;

class fake_router final : public answers_handle::extend_with<probes_handle>::base {
 public:
  fake_router(caf::actor_config& cfg, log_ptr log)
      : answers_handle::extend_with<probes_handle>::base(cfg), log_(std::move(log)) {}
  const char* name() const override { return "fake router"; }
  behavior_type make_behavior() override {
    return {[this](const answered& m) { log_->answers.push_back(m); },
            [this](const call_notification& m) { log_->notes.push_back(m); },
            [](const client_notification&) {},
            [this](const server_request& m) { log_->questions.push_back(m); },
            [](const server_request_cancelled&) {},
            [this](const listed& m) { log_->lists.push_back(m); },
            [this](const list_changed& m) { log_->changes.push_back(m); },
            [this](const introduced& m) { log_->introductions.push_back(m); },
            [](const bridge_opened&) {},
            [this](const subscribed& m) { log_->subscriptions.push_back(m); },
            [this](const session_lost& m) { log_->losses.push_back(m); },
            [this](const probed& m) { log_->health.push_back(m); }};
  }

 private:
  log_ptr log_;
};

budget_handle::behavior_type budget(budget_handle::pointer self, log_ptr log, bool limit_waits,
                                    bool waits) {
  return {[self, log, limit_waits](const gate::admit& m) {
            log->admissions.push_back(m);
            if (!limit_waits) self->send(m.asker, admitted{.number = m.number});
          },
          [self, log, waits](const charge& m) {
            log->charges.push_back(m);
            if (!waits) self->send(m.asker, charged{m.number, true, {}, 0, 0, {}, m.scopes, {}});
          },
          [log](const refund&) { ++log->refunds; },
          [](const show_usage&) { return usage_shown{}; }};
}

breaker_handle::behavior_type breaker(breaker_handle::pointer, log_ptr log) {
  return {[log](const request_ended& m) { log->ends.push_back(m); },
          [log](upstream_reached) { ++log->reached; },
          [log](const want_lease& m) { log->leases.push_back(m); },
          [](const listen_to_breaker&) {}};
}

balancer_handle::behavior_type balancer(balancer_handle::pointer self, log_ptr log, bool waits,
                                        std::size_t endpoints) {
  return {[log](const endpoint_probed& m) { log->probes.push_back(m); },
          [self, log, waits, endpoints](const pick_endpoint& m) {
            log->picks.push_back(m);
            if (waits) return;
            auto turn = (log->picks.size() - 1) % endpoints;
            while (std::ranges::find(m.tried, turn) != m.tried.end()) turn = (turn + 1) % endpoints;
            self->send(m.asker, endpoint_picked{m.number, turn});
          },
          [log](const endpoint_failed& m) { log->failures.push_back(m.endpoint); },
          [](const listen_to_endpoints&) {}, [](const probe_with&) {}};
}

constexpr auto methods = {"initialize", "notifications/initialized", "tools/call", "tools/list",
                          "ping",       "notifications/cancelled",   "GET",        "DELETE"};

}  // namespace

upstream_stage::upstream_stage(upstream_options o) {
  log::redirect([](std::string_view) {});
  auto parsed = gate::config::load(R"({"upstreams":[)" + o.upstream + "]}");
  for (const auto& p : parsed.problems) ADD_FAILURE() << gate::config::to_line(p);
  settings_ = gate::config::compile(std::move(parsed.doc))->upstreams.at(0);
  for (const auto& endpoint : settings_.endpoints) {
    const auto host = endpoint.host.substr(0, endpoint.host.find('.'));
    net_->emplace(host, std::make_unique<fake_upstream>(host));
  }
  if (o.limiter || o.budget)
    guards_.budget = system().spawn(budget, log_, o.limiter_waits, o.budget_waits);
  if (o.breaker) guards_.breaker = system().spawn(breaker, log_);
  if (o.balancer)
    guards_.balancer = system().spawn(balancer, log_, o.balancer_waits, settings_.endpoints.size());
  auto secrets = [](std::string_view name) -> std::optional<std::string> {
    if (name == "THERE") return "secret";
    return {};
  };
  upstream_ = system().spawn<upstream::upstream_actor>(
      nullptr,
      upstream::make_context(settings_, system().spawn<fake_router>(log_),
                             system().spawn<fake_egress>(net_, 0), *metrics_,
                             {secrets, system_wall_clock(), system_random()}),
      guards_);
  settle();
}

void upstream_stage::cut_off(const std::string& host) {
  for (const auto* method : methods)
    server(host).always(method, reply::failure(fetch_end::connect_failed));
}

void upstream_stage::connect(const std::string& host) {
  for (const auto* method : methods) server(host).behave(method);
}

namespace {

allowances_ptr price() {
  return std::make_shared<const std::vector<allowance>>(
      1, allowance{{scope::server, {}, 0}, gate::config::budget_period::month, 100});
}

}  // namespace

void upstream_stage::call(std::uint64_t number, std::uint64_t client, bool costs) {
  invoke m;
  m.call = number;
  m.client = client;
  m.method = "tools/call";
  m.first = R"({"name":"echo"})";
  m.profile = std::make_shared<client_profile>();
  m.per_minute = settings_.requests_per_minute;
  if (costs) m.costs = price();
  tell(upstream_, std::move(m));
}

void upstream_stage::list(std::uint64_t fill, bool costs) {
  fetch_list m;
  m.fill = fill;
  m.per_minute = settings_.requests_per_minute;
  if (costs) m.costs = price();
  tell(upstream_, std::move(m));
}

std::string upstream_stage::how(std::uint64_t number) const {
  std::string out = "nothing";
  for (const auto& a : log_->answers) {
    if (a.call != number) continue;
    if (out != "nothing") return "twice";
    out = a.what == answer::result  ? "a result"
          : a.what == answer::error ? "an error"
          : a.refused               ? "refused"
                                    : std::string(to_string(a.why));
  }
  return out;
}

std::string upstream_stage::refused(std::uint64_t number) const {
  for (const auto& a : log_->answers)
    if (a.call == number && a.refused) return a.refused->message;
  return {};
}

void upstream_stage::admit(std::size_t question, bool yes) {
  const auto m = log_->admissions.at(question);
  tell(m.asker, admitted{m.number, yes, scope::upstream, std::chrono::seconds{yes ? 0 : 37}});
}

void upstream_stage::admit_for(std::size_t question, bool paid) {
  const auto m = log_->admissions.at(question);
  admitted yes{.number = m.number};
  yes.price = std::make_shared<const charged>(
      charged{0, paid, m.costs->at(0).key, 100, 100, {}, paid ? m.costs : nullptr, {}});
  tell(m.asker, std::move(yes));
}

void upstream_stage::pay(std::size_t question, bool yes) {
  const auto m = log_->charges.at(question);
  tell(m.asker,
       charged{m.number, yes, m.scopes->at(0).key, 100, 100, {}, yes ? m.scopes : nullptr, {}});
}

void upstream_stage::lend(std::size_t question, std::uint64_t lease) {
  const auto m = log_->leases.at(question);
  tell(m.asker, lease_told{m.number, lease});
}

double upstream_stage::metric(std::string_view sample) const {
  const auto text = metrics_->expose();
  const auto begin = text.find('\n' + std::string(sample) + ' ');
  if (begin == text.npos) return -1;
  return std::strtod(text.c_str() + begin + sample.size() + 2, nullptr);
}

}  // namespace gate::sim
