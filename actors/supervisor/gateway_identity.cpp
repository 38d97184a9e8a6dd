// GATEWAY: the actors that have to do with tokens: KEY SETs, STORE and MINT.
#include "actors/fleet/memory_store.hpp"
#include "actors/identity/key_set_actor.hpp"
#include "actors/identity/mint.hpp"
#include "actors/supervisor/gateway.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {

void gateway::spawn_identity() {
  const auto& a = *parts_.authority;
  key_sources_.resize(a.sources.size());
  for (std::size_t i = 0; i < key_sources_.size(); ++i) spawn_keys(i);
  if (!a.ema) return;
  spawn_store();
  spawn_mint();
}

void gateway::spawn_keys(std::size_t source) {
  const auto& from = parts_.authority->sources[source];
  auto& m = *parts_.metrics;
  auto& state = key_sources_[source];
  state.actor = spawn<identity::key_set_actor, caf::monitored>(
      unit(), identity::key_set_parts{source, from, parts_.units.front().egress,
                                      m.get(metric::key_set_fetches, {from.issuer, "ok"}),
                                      m.get(metric::key_set_fetches, {from.issuer, "error"})});
  state.pause.born(clock().now());
  tell_keys(source);
}

/// ROUTERs and MINT, those that are there already.
void gateway::tell_keys(std::size_t source) {
  const keys_replaced news{source, key_sources_[source].actor};
  for (auto& u : units_)
    if (u.router) send(u.router, news);
  if (mint_) send(mint_, news);
}

void gateway::spawn_store() {
  store_ = spawn<fleet::memory_store, caf::monitored>(unit());
  born(single::store);
  if (mint_) send(mint_, store_replaced{store_});
}

void gateway::spawn_mint() {
  auto& m = *parts_.metrics;
  mint_ = spawn<identity::mint, caf::monitored>(
      unit(), identity::mint_parts{parts_.authority, store_, parts_.wall, parts_.random,
                                   m.get(metric::token_requests, {"ok"}),
                                   m.get(metric::token_requests, {"error"}),
                                   m.get(metric::token_requests, {"rate_limited"})});
  born(single::mint);
  const auto source = parts_.authority->idp_source;
  send(mint_, keys_replaced{source, key_sources_[source].actor});
  for (auto& u : units_)
    if (u.router) send(u.router, mint_replaced{mint_});
}

/// Was it one of the KEY SETs? It is restarted, and whoever waits for it is told.
bool gateway::keys_down(const caf::down_msg& m) {
  for (std::size_t i = 0; i < key_sources_.size(); ++i) {
    auto& state = key_sources_[i];
    if (!state.actor || state.actor.address() != m.source) continue;
    log::error(
        "KEY SET crashed and is restarted; what was known of its keys holds meanwhile.",
        {{"issuer", parts_.authority->sources[i].issuer}, {"reason", caf::to_string(m.reason)}});
    state.actor = nullptr;
    tell_keys(i);
    delayed_send(this, state.pause.next(clock().now()), respawn_keys{i});
    return true;
  }
  return false;
}

void gateway::end_identity() {
  for (auto& source : key_sources_)
    if (source.actor) caf::anon_send_exit(source.actor, caf::exit_reason::kill);
  if (store_) caf::anon_send_exit(store_, caf::exit_reason::kill);
  if (mint_) caf::anon_send_exit(mint_, caf::exit_reason::kill);
}

}  // namespace gate::supervisor
