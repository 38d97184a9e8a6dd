#include "simulations/world/hooks_service.hpp"

#include <algorithm>

namespace gate::sim {
namespace {

/// 2026-11-21T12:00:00Z
constexpr std::chrono::sys_seconds hooks_noon{std::chrono::seconds{1'795'262'400}};
/// The household of its process.
constexpr std::size_t process = 1;

webhook::callers callers_of(const std::vector<std::string>& organizations) {
  std::vector<webhook::organization> all;
  all.reserve(organizations.size());
  for (const auto& o : organizations) all.push_back({o, o, true});
  return *webhook::callers::of(all, [](std::string_view name) {
    return std::optional<std::string>(hooks_service::token_of(name));
  });
}

}  // namespace

hooks_service::hooks_service(hooks_options o)
    : options_(std::move(o)),
      dice_(std::make_shared<std::mt19937_64>(options_.seed)),
      now_([this, born = now()] { return now() - born; }),
      noon_(hooks_noon) {
  for (const auto& host : options_.hosts) (*net_)[host] = std::make_unique<fake_upstream>(host);
}

hooks_service::~hooks_service() {
  hooks_ = nullptr;
  ledger_ = nullptr;
  egress_ = nullptr;
  ingress_actor_ = nullptr;
  forget_clients();
  clear_stage();
  forget_clients();  // who serves may have said so only now
}

/// INGRESS knows who serves, who knows INGRESS: neither would ever go.
void hooks_service::forget_clients() {
  if (ingress_) *ingress_ = {};
}

void hooks_service::start() {
  if (runs()) return;
  stopped_ = false;
  metrics_ = std::make_shared<metrics>(metric::hooks_build_info);
  forget_clients();
  ingress_ = std::make_shared<ingress_log>();
  settle_in(process, [this] {
    const auto ingress = system().spawn<fake_ingress>(ingress_);
    ingress_actor_ = ingress;
    egress_ = system().spawn<fake_egress>(net_, std::size_t{0});
    auto p = parts();
    p.ledger = *p.open_ledger();
    p.spawn_api = [this, api = api_parts(),
                   door = caf::actor_cast<ingress_handle>(ingress)](const hooks::use_parts& with) {
      auto now = api;
      now.ingress = door;
      now.ledger = with.ledger;
      now.dispatch = with.dispatch;
      now.trials = with.trials;
      return caf::actor_cast<hooks::api_handle>(
          system().spawn<hooks::api_actor>(nullptr, std::move(now)));
    };
    hooks_ =
        caf::actor_cast<watcher_handle>(system().spawn<hooks::hooks_actor>(nullptr, std::move(p)));
  });
}

hooks::hooks_parts hooks_service::parts() {
  const auto answer = limits::webhook_answer;
  auto delivering = std::make_shared<hooks::delivering_parts>();
  delivering->rules = {.schedule = options_.schedule,
                       .answer = answer,
                       .lease = answer + limits::webhook_lease_margin,
                       .pause = limits::webhook_ledger_pause,
                       .in_flight = options_.in_flight,
                       .held = 2 * options_.in_flight,
                       .breaker = {.failure_threshold = limits::webhook_failures,
                                   .half_open_after = limits::webhook_left_alone}};
  delivering->sending = {{}, answer};
  delivering->egress = egress_;
  delivering->tally = std::make_shared<hooks::attempt_tally>(*metrics_);
  delivering->wall = [this] { return wall(); };
  delivering->random = [dice = dice_](std::span<std::uint8_t> out) {
    for (auto& byte : out) byte = static_cast<std::uint8_t>((*dice)());
  };
  hooks::hooks_parts out;
  out.open_ledger = [this]() -> result<ledger_handle> {
    if (store_->away && runs()) return problem{"the disk is away"};
    ledger_ = caf::actor_cast<ledger_handle>(system().spawn<memory_ledger>(store_));
    return {boost::system::in_place_value, ledger_};
  };
  out.delivering = std::move(delivering);
  out.succeeded_kept = limits::webhook_succeeded_kept;
  out.dead_kept = limits::webhook_dead_kept;
  out.metrics = metrics_;
  out.stopped = [this] { stopped_ = true; };
  return out;
}

hooks::api_parts hooks_service::api_parts() {
  hooks::api_parts out;
  out.front.hosts = http::allowlist({"localhost"});
  out.front.who = callers_of(options_.organizations);
  out.first_pause = options_.first_pause;
  out.metrics = metrics_;
  out.wall = [this] { return wall(); };
  out.random = [dice = dice_](std::span<std::uint8_t> bytes) {
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>((*dice)());
  };
  return out;
}

void hooks_service::kill_process() {
  if (!runs()) return;
  for (auto& r : ingress_->receipts)
    if (!r->done()) r->alive = false;
  forget_clients();
  ingress_actor_ = nullptr;
  egress_ = nullptr;
  ledger_ = nullptr;
  hooks_ = nullptr;
  kill(process);
  forget_clients();
  for (const auto& [host, upstream] : *net_)
    for (const auto& s : upstream->seen())
      if (!s->finished) s->abandoned = true;
}

receipt_ptr hooks_service::arrive(http_request request, std::size_t, std::string peer) {
  auto r = std::make_shared<receipt>();
  r->number = next_number_++;
  r->peer = std::move(peer);
  r->alive = runs() && ingress_->router && !ingress_->draining;  // nobody listens any more
  if (!r->alive) return r;
  ingress_->receipts.push_back(r);
  tell(ingress_->router, arrival{std::make_shared<fake_exchange>(r, std::move(request))});
  return r;
}

void hooks_service::bring_body(const receipt_ptr& r) {
  if (r->done() || !r->unread || !r->body_asked) return;
  auto& request = *std::exchange(r->unread, nullptr);
  request.body = std::move(r->body_to_come);
  request.body_follows = false;
  tell(ingress_->router, body_read{r->number});
}

void hooks_service::vanish(const receipt_ptr& r) {
  if (r->done()) return;
  r->alive = false;
  if (ingress_->router) tell(ingress_->router, client_gone{r->number});
}

void hooks_service::let_move() {
  store_->stalls = false;
  if (ledger_) tell(caf::actor_cast<memory_ledger_handle>(ledger_), ledger_moves{});
}

bool hooks_service::when_quiet() {
  if (!ingress_ || !ingress_->draining || !ingress_actor_) return false;
  if (!std::ranges::all_of(ingress_->receipts, &receipt::done)) return false;
  ingress_->draining = false;
  caf::anon_send(ingress_actor_, all_gone{});
  return true;
}

}  // namespace gate::sim
