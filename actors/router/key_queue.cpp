#include "actors/router/key_queue.hpp"

#include "actors/router/chain.hpp"
#include "actors/router/client_streams.hpp"

namespace gate::routing {

using namespace pipeline;

bool key_queue::wait(fact<stage::host>& c, std::size_t source) {
  auto& state = states_[source];
  if (!unit_.partners.has_keys(source) || unit_.now() < state.again_at) return false;
  // One question is enough for all who wait.
  if (!std::exchange(state.asked, true)) unit_.partners.want_keys(source);
  unit_.calls.put_aside(std::move(c), {partner::keys, source});
  return true;
}

void key_queue::on_keys(keys_told& m) {
  states_[m.source].again_at = m.again_at;
  if (m.news && keeper_.take_keys(m.source, std::move(m.keys))) streams_.end_untrusted(keeper_);
  if (m.settled) go_on(m.source);
}

/// Or without them: then they are judged by those that are known.
void key_queue::go_on(std::size_t source) {
  states_[source].asked = false;
  for (const auto number : unit_.calls.waiting_for(partner::keys, source))
    if (auto c = unit_.calls.take<stage::host>(number)) {
      renew(**c, unit_, keeper_);
      mcp_stages::run(std::move(*c), unit_.desk);
    }
}

}  // namespace gate::routing
