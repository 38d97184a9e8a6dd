#pragma once
/// INSPECTOR over real sockets. Spawned by `gate doctor`; ends when it is told to.
#include <boost/asio/ssl/context.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <memory>

#include "transport/http/inspection.hpp"
#include "transport/pinned.hpp"
#include "transport/store/inspection.hpp"

namespace gate::doors {

class inspector_actor final : public pinned<inspector_handle::base> {
 public:
  inspector_actor(caf::actor_config& cfg, scheduler::io_unit* unit);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "inspector"; }

 private:
  scheduler::io_unit& io_;
  boost::asio::ssl::context tls_;
  std::unique_ptr<http::lookups> names_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::shared_ptr<http::inspection>> servers_;
  std::map<std::uint64_t, std::shared_ptr<store::inspection>> stores_;
};

}  // namespace gate::doors
