#pragma once
/// LOADER: makes a snapshot of a document, or says what is wrong with it. A document is judged
/// together with the other half of what runs: the operator's with the upstreams that are discovered
/// at the moment, and those with the operator's. Spawned by GATEWAY on a thread of its own, since
/// judging a large document takes a while; asked and supervised by it.
///
/// What it made last is taken to run: GATEWAY takes over whatever it is given.
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actors/interfaces.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/base/result.hpp"

namespace gate::reload {

struct loader_parts {
  /// Its latest snapshot is what runs. It outlives LOADER: it knows which numbers of upstreams are
  /// in use, those of upstreams that drain included. Nobody else asks it.
  std::shared_ptr<config::compiler> compiler;
  /// Reads the operator's document again. Empty: it came from nowhere that can be read twice.
  std::function<result<std::string>()> source;
  loading_user asker;
};

class loader_actor final : public loader_handle::base {
 public:
  loader_actor(caf::actor_config& cfg, loader_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::loader); }

 private:
  loaded from_document(const std::optional<std::string>& text);
  loaded from_discovered(const std::string& text);
  loaded take_over(config::document own, std::vector<config::upstream> discovered);

  loader_parts parts_;
};

}  // namespace gate::reload
