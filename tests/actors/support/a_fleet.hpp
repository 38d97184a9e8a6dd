#pragma once
/// Sessions that any instance of a fleet can go on with. Each unit is an instance: it knows of the
/// others' sessions by the store only.
#include <algorithm>

#include "actors/fleet/session_book.hpp"
#include "simulations/world/guarded_world.hpp"
#include "simulations/world/shared_scripts.hpp"

namespace gate::sim {

inline world_options fleet_of(const std::shared_ptr<fake_store>& store, std::size_t units,
                              std::string_view config) {
  world_options o;
  o.config = config;
  o.units = units;
  o.store = store;
  return o;
}

struct a_fleet : ::testing::Test {
  static std::shared_ptr<fake_store> taught() {
    auto out = std::make_shared<fake_store>();
    teach_scripts(*out, std::chrono::seconds(1'795'253'400));
    return out;
  }
  std::shared_ptr<fake_store> store = taught();
  world w{fleet_of(store, 3, two_upstreams)};
  fake_upstream& a = w.upstream("a");
  client one{w, 0}, two{w, 1}, three{w, 2};

  void begin(std::string_view capabilities = "{}") {
    one.capabilities = capabilities;
    one.initialize();
    for (auto* other : {&two, &three}) {
      other->session = one.session;
      other->version = one.version;
    }
  }
  std::string key() const { return fleet::session_key(sha256{}, one.session); }
  double adopted(std::string_view outcome) const {
    return w.metric("gate_sessions_adopted_total{outcome=\"" + std::string(outcome) + "\"}");
  }
  /// The store knows that its client has ended it.
  bool known_as_ended() const {
    const auto* all = store->fields(key());
    return all && all->size() == 1 && all->contains("x");
  }
  std::size_t holders() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        *store->fields(key()), [](const auto& f) { return f.first.starts_with("i:"); }));
  }
  std::size_t looks() const {
    std::size_t n = 0;
    // The key, who looks, and how long others count: of the record's other questions none.
    for (const auto& line : store->seen())
      n += line.starts_with("gate:{session:") && std::ranges::count(line, ' ') == 2 &&
           line.find(' ') + 33 == line.rfind(' ');
    return n;
  }
};

}  // namespace gate::sim
