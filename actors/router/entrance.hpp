#pragma once
/// Who comes in: requests of clients, up to stage 3. Part of ROUTER.
#include "actors/router/body_queue.hpp"
#include "actors/router/key_queue.hpp"
#include "actors/router/unit.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"

namespace gate::routing {

class endpoints;

class entrance final : public pipeline::entrance_desk {
 public:
  entrance(unit& u, client_streams& streams, endpoints& beside, identity::authority_ptr authority,
           wall_clock wall, metrics& counters);

  const http::allowlist& hosts() const override { return hosts_; }
  identity::gatekeeper& keeper() override { return keeper_; }
  oauth::wall_time wall_now() const override { return wall_(); }
  void count_ambiguous() override { ambiguous_.add(); }
  bool await_keys(pipeline::fact<pipeline::stage::host>& c, std::size_t source) override {
    return keys_.wait(c, source);
  }
  void await_body(pipeline::fact<pipeline::stage::host> c) override { bodies_.wait(std::move(c)); }
  bool meter(pipeline::fact<pipeline::stage::authenticate>& c,
             const rate_scopes_ptr& scopes) override;

  /// A request, from its first stage on. `metered`: the rate limits have counted it.
  void take_in(exchange_ptr from, bool of_a_batch, bool metered);
  void on_admitted(const admitted& m);
  void on_body_read(std::uint64_t exchange);

  key_queue& keys() { return keys_; }
  body_queue& bodies() { return bodies_; }

 private:
  unit& unit_;
  endpoints& beside_;
  http::allowlist hosts_;
  identity::gatekeeper keeper_;
  wall_clock wall_;
  metrics::value ambiguous_;
  key_queue keys_;
  body_queue bodies_;
};

}  // namespace gate::routing
