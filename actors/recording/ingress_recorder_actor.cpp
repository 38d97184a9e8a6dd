#include "actors/recording/ingress_recorder_actor.hpp"

#include "protocol/http/media.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/recycled.hpp"
#include "transport/at_once.hpp"

namespace gate::recording {

ingress_recorder_actor::ingress_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                               ingress_handle of, journal_ptr where)
    : pinned(cfg, unit), of_(std::move(of)), where_(std::move(where)) {
  set_down_handler([this](const caf::down_msg& m) {
    if (router_ && router_.address() == m.source) router_ = nullptr;
  });
}

ingress_recorder_actor::behavior_type ingress_recorder_actor::make_behavior() {
  return {
      [this](serve& m) {
        if (router_) demonitor(router_.address());
        router_ = std::move(m.router);
        monitor(router_);
        send(of_, serve{caf::actor_cast<arrivals_handle>(caf::strong_actor_ptr{ctrl()})});
      },
      [this](adopt& m) { send(of_, std::move(m)); },
      [this](drain) -> caf::result<drained> { return delegate(of_, drain{}); },
      [this](cut) { send(of_, cut{}); },
      [this](arrival& m) {
        if (arrived(m.from)) hand_over(router_, std::move(m));
      },
      [this](const body_read& m) {
        if (const auto node = without_body_.extract(m.number); !node.empty())
          if (const auto e = node.mapped().lock()) where_->body(*e);
        hand_over(router_, body_read{m.number});
      },
      [this](const client_gone& m) {
        without_body_.erase(m.number);
        where_->happened(kind::gone, m.number);
        if (router_) send(router_, m);
      },
  };
}

void ingress_recorder_actor::enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) {
  const auto take = [&](arrival& m) {
    if (arrived(m.from)) pass_on<arrival>(router_, std::move(x));
  };
  if (!taken_at_once<arrival>(*this, *x, take)) pinned::enqueue(std::move(x), host);
}

void ingress_recorder_actor::on_exit() {
  of_ = nullptr;
  router_ = nullptr;
  without_body_.clear();
}

bool ingress_recorder_actor::arrived(exchange_ptr& e) {
  if (!where_->over()) {
    const bool form = where_->request(*e);
    const bool follows = e->request().body_follows;
    e = std::allocate_shared<recorded_exchange>(recycling<recorded_exchange>(), std::move(e),
                                                where_, form);
    if (follows) {
      // Those that were answered without it are told apart by being gone.
      if (without_body_.size() >= limits::recording_memo)
        std::erase_if(without_body_, [](const auto& one) { return one.second.expired(); });
      without_body_.emplace(e->number(), e);
    }
  }
  if (router_) return true;
  // As INGRESS says it when it knows that nobody serves.
  e->respond({503, http::json_type, http::retry_soon}, {R"({"error":"restarting"})"});
  return false;
}

}  // namespace gate::recording
