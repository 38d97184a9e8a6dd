#include "actors/fleet/shared_tasks_actor.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

#include "actors/fleet/session_book.hpp"

namespace gate::fleet {

using tasks::verdict;

namespace {

/// Before the name of a ROUTER, which is none of a process.
constexpr char router_mark = '@';

}  // namespace

shared_tasks_actor::shared_tasks_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                       store_handle store, std::string instance)
    : pinned(cfg, unit), store_(std::move(store)), instance_(std::move(instance)) {}

shared_tasks_actor::behavior_type shared_tasks_actor::make_behavior() {
  send(store_, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) {
        here_ = m.here;
        if (m.anew) owe_all();
        pay_debts();
      },
      [this](pin_task& m) { pin(m); },
      [this](const note_minting& m) { mintings_.note(m.upstream, m.owner, m.what, clock().now()); },
      [this](const find_tasks& m) { return find(m); },
  };
}

void shared_tasks_actor::on_exit() {
  for (auto& [number, s] : searches_)
    s.who.deliver(caf::make_error(caf::sec::request_receiver_down));
  searches_.clear();
  store_ = nullptr;
}

void shared_tasks_actor::on_told(const store_told& m) {
  if (auto node = claiming_.extract(m.id)) return on_claimed(std::move(node.mapped()), m);
  if (const auto node = looks_.extract(m.id)) on_looked(node.mapped(), m);
}

// --- what is minted ------------------------------------------------------------------------------

void shared_tasks_actor::pin(pin_task& m) {
  const auto now = clock().now();
  if (ledger_.pin(m.id, m.owner, m.where, now) == tasks::ledger::pinned::claimed)
    return claims_.note(m.where.upstream, m.trace, now);
  claim c{std::move(m.id), m.owner, std::move(m.where), now, m.trace};
  if (here_)
    tell(std::move(c));
  else
    owe(std::move(c));
}

void shared_tasks_actor::tell(claim c) {
  const task_owner what{c.where.upstream, c.owner, 0, session_of(c.where)};
  const auto ago = std::chrono::floor<std::chrono::milliseconds>(clock().now() - c.minted);
  auto question = ask_to_own(next_, task_key(digest_, c.id), what, ago);
  ++in_doubt_[c.id];
  claiming_.emplace(next_++, std::move(c));
  send(store_, ask_store{std::move(question), caf::actor_cast<store_asker>(this)});
}

void shared_tasks_actor::on_claimed(claim c, const store_told& m) {
  if (const auto it = in_doubt_.find(c.id); --it->second == 0) in_doubt_.erase(it);
  if (c.debt) --paying_;
  const auto told = m.outcome == store_outcome::ok && m.reply ? read_owned(m.reply->root())
                                                              : std::optional<owner_told>{};
  if (!told) return owe(std::move(c));
  if (told->other && *told->other != c.owner) {
    const auto now = clock().now();
    claims_.note(c.where.upstream, c.trace, now);
    ledger_.correct(c.id, *told->other, {c.where.upstream, tasks::elsewhere, 0}, now);
  }
  pay_debts();
}

/// Told when the store returns, or has answered another question.
void shared_tasks_actor::owe(claim c) {
  c.debt = true;
  if (debts_.size() >= limits::store_task_debts) debts_.pop_front();
  debts_.push_back(std::move(c));
}

/// Those that were used last, if there are more than may be owed; the time of their last use stands
/// for that of their minting, which nobody knows any more.
void shared_tasks_actor::owe_all() {
  struct known {
    const std::string* id;
    std::uint64_t owner;
    const tasks::place* where;
    time_point used;
  };
  std::vector<known> all;
  ledger_.for_each(
      [&](const std::string& id, std::uint64_t owner, const tasks::place& where, time_point used) {
        if (clock().now() - used < limits::store_task) all.push_back({&id, owner, &where, used});
      });
  if (all.size() > limits::store_task_debts) {
    const auto end = all.begin() + limits::store_task_debts;
    std::ranges::nth_element(all, end, std::ranges::greater{}, &known::used);
    all.erase(end, all.end());
  }
  debts_.clear();
  for (const auto& k : all) owe({*k.id, k.owner, *k.where, k.used});
}

void shared_tasks_actor::pay_debts() {
  while (here_ && !debts_.empty() && paying_ < limits::store_debts_at_once) {
    auto next = std::move(debts_.front());
    debts_.pop_front();
    if (clock().now() - next.minted >= limits::store_task) continue;  // it would be forgotten
    ++paying_;
    tell(std::move(next));
  }
}

// --- what is asked for ---------------------------------------------------------------------------

tasks_found shared_tasks_actor::known(const find_tasks& m) {
  const auto now = clock().now();
  tasks_found out{{}, mintings_.of_others(m.owner, now)};
  out.findings.reserve(m.ids.size());
  for (const auto& id : m.ids) out.findings.push_back(ledger_.find(id, m.owner, now));
  return out;
}

caf::result<tasks_found> shared_tasks_actor::find(const find_tasks& m) {
  auto found = known(m);
  if (!here_) return found;
  search s{m, {}, {}};
  // One that others have may be the caller's at another upstream. Behind a claim the store is asked
  // as well: its answer knows what came of that.
  for (std::size_t i = 0; i < m.ids.size(); ++i)
    if ((found.findings[i].verdict != verdict::own && !m.again) || in_doubt_.contains(m.ids[i]))
      s.unknown.push_back(m.ids[i]);
  if (s.unknown.empty()) return found;
  auto it = make_response_promise<tasks_found>();
  s.who = it;
  const auto number = next_++;
  ask(number, searches_.emplace(number, std::move(s)).first->second);
  return it;
}

bool shared_tasks_actor::ask(std::uint64_t number, search& s) {
  while (here_ && !s.unknown.empty() && s.open < limits::store_tasks_at_once) {
    auto question = ask_for_owners(next_, task_key(digest_, s.unknown.back()));
    looks_.emplace(next_++, look{number, std::move(s.unknown.back())});
    s.unknown.pop_back();
    ++s.open;
    send(store_, ask_store{std::move(question), caf::actor_cast<store_asker>(this)});
  }
  return s.open > 0;
}

void shared_tasks_actor::on_looked(const look& l, const store_told& m) {
  const auto it = searches_.find(l.search);
  if (it == searches_.end()) return;
  auto& s = it->second;
  --s.open;
  if (m.outcome == store_outcome::ok && m.reply)
    if (const auto owners = read_owners(m.reply->root()))
      for (const auto& o : *owners) ledger_.correct(l.id, o.owner, place_of(o), clock().now());
  if (s.open > 0 || ask(l.search, s)) return;
  s.who.deliver(known(s.what));
  searches_.erase(it);
}

// --- sessions, as the store has them -------------------------------------------------------------

std::string shared_tasks_actor::session_of(const tasks::place& where) const {
  const bool named = where.instance != tasks::place{}.instance;
  if (!named && where.unit == tasks::elsewhere) return {};
  return (named ? router_mark + name_of_instance(where.instance) : instance_) + ' ' +
         std::to_string(where.unit) + ' ' + std::to_string(where.client);
}

namespace {

/// `UNIT CLIENT`; false: it is something else.
bool read_place(std::string_view said, tasks::place& to) {
  const auto* end = said.data() + said.size();
  const auto [at, wrong] = std::from_chars(said.data(), end, to.unit);
  if (wrong != std::errc() || at == end || *at != ' ') return false;
  const auto [last, bad] = std::from_chars(at + 1, end, to.client);
  return bad == std::errc() && last == end;
}

/// Of one that can be asked: `NAME UNIT CLIENT`, whichever of the fleet it is.
tasks::place place_at_router(std::string_view said, tasks::place other) {
  auto out = other;
  if (!read_instance(said.substr(0, said.find(' ')), out.instance)) return other;
  said.remove_prefix(std::min(said.size(), 2 * out.instance.size() + 1));
  if (!read_place(said, out)) return other;
  out.unit = tasks::elsewhere;
  return out;
}

}  // namespace

/// Sessions of other instances are none here; but some of them can be asked.
tasks::place shared_tasks_actor::place_of(const task_owner& o) const {
  tasks::place other{o.upstream, tasks::elsewhere, 0};
  std::string_view said = o.session;
  if (said.starts_with(router_mark)) return place_at_router(said.substr(1), std::move(other));
  if (!said.starts_with(instance_ + ' ')) return other;
  said.remove_prefix(instance_.size() + 1);
  tasks::place here{o.upstream};
  return read_place(said, here) ? here : other;
}

}  // namespace gate::fleet
