#include "actors/router/minting_calls.hpp"

#include "actors/router/handed_calls.hpp"
#include "actors/router/suspended_calls.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

using namespace pipeline;

namespace {

bool is_tool_call(const call& c) {
  return c.method->name == mcp::names::call_tool;
}

/// Its upstream may have got the call, and has not said what came of it.
bool is_lost(const answered& m) {
  const bool open = m.why == no_answer::request_failed || m.why == no_answer::timed_out;
  return m.what == answer::down && open && !m.refused && m.upstream_calls > 0;
}

}  // namespace

minter minter::of(const call& c, const unit& u) {
  minter out{c.session->access->task_owner(),
             {c.upstream->id, u.number, c.via},
             c.era == mcp::era::stateless,
             c.ticket.notes().trace};
  // (Clients with a session take along what servers have open for it.)
  if (out.stateless && u.handed) out.where.instance = u.handed->name();
  return out;
}

void minter::pin(unit& u, std::string_view raw_id) const {
  std::string id;
  if (raw_id.size() > limits::name_bytes || !json::unquote(raw_id, id)) return;
  if (stateless && u.tasks) u.tasks->note(id, u.number);
  u.partners.pin_task({std::move(id), owner, where, trace});
}

void minting_calls::begin(const call& c) {
  const bool unasked = !c.mints && is_tool_call(c) && unasked_.contains(c.upstream->index);
  if (!c.mints && !unasked) return;
  const auto [it, fresh] = running_.try_emplace(c.number, minting{minter::of(c, unit_)});
  if (fresh) tell(it->second.who, tasks::minting::begun);
}

void minting_calls::note_minted(const call& c) {
  if (!c.mints && is_tool_call(c)) unasked_.insert(c.upstream->index);
}

/// What is pinned must be known before the mark is gone.
void minting_calls::end(const answered& m, bool taken) {
  const auto node = running_.extract(m.call);
  if (!node) return;
  const auto& who = node.mapped().who;
  if (!taken && !m.task.empty()) who.pin(unit_, m.task);
  tell(who, is_lost(m) ? tasks::minting::lost : tasks::minting::answered);
}

/// Not at once: its answer may be on its way.
void minting_calls::tick() {
  for (auto it = running_.begin(); it != running_.end();) {
    auto& [number, m] = *it;
    // Suspended, its upstream works on for whoever comes back for it.
    const bool here = unit_.calls.find(number) || suspensions_.live(number) != number;
    const bool gone = !here && m.left;
    m.left = !here;
    if (gone) tell(m.who, tasks::minting::lost);
    it = gone ? running_.erase(it) : std::next(it);
  }
}

void minting_calls::tell_again() {
  for (const auto& [number, m] : running_) tell(m.who, tasks::minting::begun);
}

void minting_calls::clear() {
  for (const auto& [number, m] : running_) tell(m.who, tasks::minting::lost);
  running_.clear();
}

void minting_calls::tell(const minter& who, tasks::minting what) {
  unit_.partners.note_minting({who.where.upstream, who.owner, what});
}

}  // namespace gate::routing
