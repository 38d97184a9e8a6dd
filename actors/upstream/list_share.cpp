#include "actors/upstream/list_share.hpp"

#include <algorithm>
#include <utility>

#include "actors/fleet/scope_names.hpp"
#include "protocol/base/sha256.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

using std::chrono::milliseconds;

/// Whoever asks in another way may get another list: short, and the same at all instances.
std::string digest_of(const config::compiled_upstream& u) {
  const auto& how = u.auth;
  std::string text = std::to_string(static_cast<int>(u.protocol)) + ' ' +
                     std::to_string(static_cast<int>(how.strategy));
  for (const auto* name : {&how.secret_ref, &how.header, &how.scheme, &how.token_endpoint,
                           &how.client_id, &how.audience, &how.resource})
    text.append(1, '\n').append(name->value_or(""));
  for (const auto& scope : how.scopes.value_or(config::text_list{}))
    text.append(1, ' ').append(scope);
  for (const auto& to : u.endpoints) text.append(1, '\n').append(to.origin()).append(to.target);
  return fleet::hex(sha256{}(text)).substr(0, 16);
}

}  // namespace

bool list_share::fits(const config::compiled_upstream& u) {
  return !u.per_caller && !u.per_client;
}

list_share::list_share(const config::compiled_upstream& u, std::string name, std::uint32_t database)
    : id_(u.id),
      digest_(digest_of(u)),
      name_(std::move(name)),
      channel_(fleet::channel_of_lists(u.id, database)) {}

fleet::list_keys list_share::keys_of(mcp::list_kind kind, mcp::capability_profile as) const {
  return fleet::keys_of_list(id_, kind, as, digest_);
}

std::string list_share::name_of(std::uint64_t number) const {
  return name_ + ' ' + std::to_string(number);
}

bool list_share::takes(const fetch_list& m) const {
  return !m.client && !m.profile && !m.principal && !m.caller &&
         static_cast<std::size_t>(m.kind) < mcp::kept_list_kinds && m.cached > milliseconds{0} &&
         m.cached <= limits::store_list_kept;
}

milliseconds list_share::youth(const fetch_list& m, time_point now) const {
  const auto it = changed_.find(m.kind);
  if (it == changed_.end()) return m.cached;
  return std::min(m.cached, std::chrono::floor<milliseconds>(now - it->second));
}

store_request list_share::question(std::uint64_t number, const fetch_list& m,
                                   time_point now) const {
  return fleet::ask_for_list(number, keys_of(m.kind, m.as), youth(m, now), name_of(number));
}

store_request list_share::look(fetch_list m, time_point now) {
  const auto number = next_++;
  auto out = question(number, m, now);
  asked_.emplace(number, request{std::move(m), now + limits::store_list_wait});
  return out;
}

std::optional<store_request> list_share::again(std::uint64_t number, time_point now) {
  const auto it = asked_.find(number);
  if (it == asked_.end()) return {};
  return question(number, it->second.what, now);
}

std::optional<list_share::decision> list_share::on_told(const store_told& m, time_point now) {
  using what = decision::what;
  using said = fleet::list_told::what;
  const auto it = asked_.find(m.id);
  if (it == asked_.end()) return {};
  auto told = m.outcome == store_outcome::ok && m.reply ? fleet::read_list(m.reply->root())
                                                        : std::optional<fleet::list_told>{};
  if (told && told->is == said::wait && now < it->second.until)
    return decision{what::ask_again, {}, m.id};
  decision out{what::fetch, std::move(it->second.what)};
  asked_.erase(it);
  if (!told || told->is == said::wait) return out;
  if (told->is == said::fetch) {
    out.list.share = m.id;
    // (Of a session that died nobody hears.)
    std::erase_if(fetching_, [&](const auto& f) { return f.second.until <= now; });
    fetching_.emplace(m.id, fetching{keys_of(out.list.kind, out.list.as), told->began,
                                     out.list.cached, now + 2 * limits::store_list_fetch});
    return out;
  }
  out.is = what::read;
  out.list.kept = std::move(told->list);
  out.list.age = told->age;
  return out;
}

std::optional<store_request> list_share::on_read(const list_read& m) {
  const auto node = fetching_.extract(m.share);
  if (!node) return {};
  const auto& f = node.mapped();
  auto text = m.raw ? fleet::written(*m.raw) : std::nullopt;
  return fleet::ask_to_keep(next_++, f.keys, name_of(m.share), f.began,
                            std::move(text).value_or(""), f.ttl);
}

std::optional<store_request> list_share::on_heard(const list_heard& m, time_point now) {
  changed_[m.kind] = now;
  if (!m.certain) return {};
  auto& c = changes_[m.kind];
  c.owed = true;
  c.everybodys |= m.everybodys;
  return owed(m.kind);
}

void list_share::change::again() {
  if (std::exchange(under_way, 0) == 0) return;
  owed = true;
  everybodys |= everybodys_on_way;
}

std::optional<store_request> list_share::owed(mcp::list_kind kind) {
  const auto it = changes_.find(kind);
  if (it == changes_.end() || !it->second.owed || it->second.under_way != 0) return {};
  auto& c = it->second;
  c.under_way = next_++;
  c.owed = false;
  c.everybodys_on_way = std::exchange(c.everybodys, false);
  auto news = c.everybodys_on_way ? fleet::written_news(kind, name_) : std::string();
  return fleet::ask_to_forget(c.under_way, keys_of(kind, 0), limits::store_list_kept, channel_,
                              std::move(news));
}

std::optional<store_request> list_share::on_forgotten(const store_told& m) {
  const auto it = std::ranges::find_if(
      changes_, [&](const auto& one) { return m.id != 0 && one.second.under_way == m.id; });
  if (it == changes_.end()) return {};
  if (m.outcome == store_outcome::ok) {
    it->second.under_way = 0;
    return owed(it->first);
  }
  it->second.again();
  return {};
}

std::optional<mcp::list_kind> list_share::on_news(const store_heard& m, time_point now) {
  if (m.channel != channel_) return {};
  const auto news = fleet::read_list_news(m.text);
  if (!news || news->by == name_) return {};
  changed_[news->kind] = now;
  return news->kind;
}

bool list_share::on_turned(bool here, time_point now) {
  for (auto& [kind, c] : changes_) c.again();
  if (!here) missing_ = true;
  if (!here || !std::exchange(missing_, false)) return false;
  for (std::size_t k = 0; k < mcp::kept_list_kinds; ++k)
    changed_[static_cast<mcp::list_kind>(k)] = now;
  return true;
}

std::vector<fetch_list> list_share::take_all() {
  std::vector<fetch_list> out;
  for (auto& [number, a] : std::exchange(asked_, {})) out.push_back(std::move(a.what));
  return out;
}

}  // namespace gate::upstream
