#include "simulations/world/shim_service.hpp"

#include <algorithm>
#include <random>

namespace gate::sim {

/// CHILDREN.
class shim_service::nursery final : public children_handle::base {
 public:
  nursery(caf::actor_config& cfg, shim_service& world,
          std::function<child_manner(std::size_t)> manner)
      : children_handle::base(cfg), world_(world), manner_(std::move(manner)) {}
  behavior_type make_behavior() override {
    return {[this](start_child& m) -> child_made {
      auto life = std::make_shared<child_life>();
      life->number = world_.children_->size();
      life->probe = m.label == "probe";
      life->manner = manner_(life->number);
      world_.children_->push_back(life);
      auto child = spawn<simulated_child>(life, std::move(m.user), world_.faults_);
      world_.on_child();
      return {caf::actor_cast<child_handle>(child)};
    }};
  }
  const char* name() const override { return "fake children"; }

 private:
  shim_service& world_;
  std::function<child_manner(std::size_t)> manner_;
};

shim_service::shim_service(shim_service_options o) {
  shim::shim_parts parts;
  parts.rules.hosts = http::allowlist({"localhost"});
  parts.max_sessions = o.max_sessions;
  const auto ingress = system().spawn<fake_ingress>(ingress_);
  ingress_actor_ = ingress;
  nursery_ = system().spawn<nursery>(*this, std::move(o.manner));
  parts.ingress = caf::actor_cast<ingress_handle>(ingress);
  parts.children = nursery_;
  parts.metrics = std::make_shared<metrics>(metric::stdio_build_info);
  parts.random = [dice = std::make_shared<std::mt19937_64>(o.seed)](std::span<std::uint8_t> out) {
    for (auto& byte : out) byte = static_cast<std::uint8_t>((*dice)());
  };
  parts.stopped = [this](bool) { stopped_ = true; };
  shim_ = system().spawn<shim::shim_actor>(nullptr, std::move(parts));
  settle();
}

shim_service::~shim_service() {
  shim_ = nullptr;
  nursery_ = nullptr;
  ingress_actor_ = nullptr;
  *ingress_ = {};
  clear_stage();
}

receipt_ptr shim_service::arrive(http_request request, std::size_t, std::string peer) {
  auto r = std::make_shared<receipt>();
  r->number = next_number_++;
  r->peer = std::move(peer);
  ingress_->receipts.push_back(r);
  tell(ingress_->router, arrival{std::make_shared<fake_exchange>(r, std::move(request))});
  return r;
}

void shim_service::bring_body(const receipt_ptr& r) {
  if (r->done() || !r->unread || !r->body_asked) return;
  auto& request = *std::exchange(r->unread, nullptr);
  request.body = std::move(r->body_to_come);
  request.body_follows = false;
  tell(ingress_->router, body_read{r->number});
}

void shim_service::vanish(const receipt_ptr& r) {
  if (r->done()) return;
  r->alive = false;
  tell(ingress_->router, client_gone{r->number});
}

bool shim_service::when_quiet() {
  if (!ingress_->draining || !std::ranges::all_of(ingress_->receipts, &receipt::done)) return false;
  ingress_->draining = false;
  caf::anon_send(ingress_actor_, all_gone{});
  return true;
}

}  // namespace gate::sim
