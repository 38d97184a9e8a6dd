#include "actors/router/session_records.hpp"

#include "actors/router/shared_sessions.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

using sessions::session_changes;

std::chrono::milliseconds session_records::lasts() const {
  return unit_.snapshot->doc.server.session_idle_timeout + 2 * limits::session_renewal;
}

/// Whoever uses it is silent no longer than the time in which a session ends, and a renewal.
std::chrono::seconds session_records::alive() const {
  return std::chrono::ceil<std::chrono::seconds>(lasts());
}

// --- writing -------------------------------------------------------------------------------------

fleet::named_fields session_records::fields_of(const sessions::client_session& s,
                                               const session_changes& what) {
  fleet::named_fields out;
  const auto seal = [&](std::string field, std::string_view text) {
    auto value = line_.seal(text, fleet::about_field(s.shared->key, field));
    out.emplace_back(std::move(field), std::move(value));
  };
  if (what.client) {
    fleet::session_record r{{}, std::string(s.version), s.profile->capabilities};
    if (const auto* who = s.access->who())
      r.owner = fleet::owner_digest(line_.digest(), who->issuer, who->subject);
    seal(std::string(fleet::client_field), fleet::encode(r));
  }
  if (what.level && !s.profile->log_level.empty())
    seal(std::string(fleet::level_field), s.profile->log_level);
  for (const auto& upstream : what.bridged)
    if (const auto b = s.profile->bridges->find(upstream); b != s.profile->bridges->end())
      seal(fleet::bridge_field(upstream), fleet::encode(b->second));
  for (const auto& uri : what.subscribed) {
    auto field = fleet::subscription_field(line_.vault(), s.shared->key, uri);
    if (const auto at = s.subscriptions.find(uri); at != s.subscriptions.end())
      seal(std::move(field), fleet::encode(fleet::subscription{uri, at->second}));
    else
      out.emplace_back(std::move(field), std::string());
  }
  return out;
}

std::uint64_t session_records::write(sessions::client_session& s, fleet_line::then then) {
  if (!line_.ready()) return 0;
  auto& p = *s.shared;
  auto what = p.unwritten.take(limits::store_debts_at_once);
  p.due = false;
  p.renewed = unit_.now();
  if (what.any()) ++p.edition;
  // The others look behind this, on the same way to the store.
  const bool tell = what.level || !what.subscribed.empty();
  auto question = fleet::keep_session(0, p.key, lasts(), p.fresh && what.client, line_.name(),
                                      fields_of(s, what));
  const auto number = line_.ask(std::move(question), [this, client = s.key, what = std::move(what),
                                                      then = std::move(then)](const store_told& m) {
    on_written(client, what, m);
    if (then) then(m);
  });
  if (tell) words_.tell(s, {fleet::session_word::kind::changed});
  if (p.unwritten.any()) look_later(s);
  return number;
}

void session_records::on_written(std::uint64_t client, session_changes what, const store_told& m) {
  const auto s = unit_.sessions.find_key(client);
  if (!s || !s->shared) return;
  auto& p = *s->shared;
  const auto kept = fleet::read_kept(m);
  if (kept == fleet::kept::ended) return all_.end_here(s);
  if (kept == fleet::kept::none) return write_anew(*s);
  if (!kept) return p.unwritten.add(std::move(what));
  if (what.client) p.fresh = false;
}

void session_records::write_anew(sessions::client_session& s) {
  auto& p = *s.shared;
  p.fresh = true;
  session_changes all{true, !s.profile->log_level.empty()};
  for (const auto& [upstream, b] : *s.profile->bridges) all.bridged.insert(upstream);
  for (const auto& [uri, upstream] : s.subscriptions) all.subscribed.insert(uri);
  p.unwritten.add(std::move(all));
  look_later(s);
}

void session_records::changed(sessions::client_session& s, session_changes what) {
  auto& p = *s.shared;
  ++p.edition;
  p.unwritten.add(std::move(what));
  // The end of some is not told.
  if (p.unwritten.subscribed.size() > limits::session_unwritten)
    std::erase_if(p.unwritten.subscribed,
                  [&](const auto& uri) { return !s.subscriptions.contains(uri); });
  look_later(s);
}

// --- reading -------------------------------------------------------------------------------------

void session_records::read_later(sessions::client_session& s) {
  s.shared->stale = true;
  look_later(s);
}

void session_records::read(sessions::client_session& s) {
  if (!line_.ready()) return;
  auto& p = *s.shared;
  p.stale = false;
  line_.ask(fleet::look_for_session(0, p.key, line_.name(), alive()),
            [this, client = s.key, edition = p.edition](const store_told& m) {
              on_read(client, edition, m);
            });
}

void session_records::on_read(std::uint64_t client, std::uint64_t edition, const store_told& m) {
  const auto s = unit_.sessions.find_key(client);
  if (!s || !s->shared) return;
  auto& p = *s->shared;
  if (m.outcome != store_outcome::ok || !m.reply || !line_.ready()) {
    p.stale = true;
    return;
  }
  auto found = fleet::read_found(m.reply->root(), p.key, line_.vault());
  using state = fleet::found_session::state;
  if (found.what == state::ended) return all_.end_here(s);
  // One that does not open was sealed by a key that the store has lost.
  if (found.what != state::whole) return write_anew(*s);
  // It was changed here, perhaps behind the look.
  if (edition != p.edition) return read_later(*s);
  all_.be_as(*s, std::move(found));
}

void session_records::read_all() {
  queue_.clear();
  unit_.sessions.for_each([this](const sessions::session_ptr& s) {
    if (!s->shared) return;
    s->shared->queued = false;
    // Who could not tell it anything has taken it for gone.
    s->shared->unmet = true;
    s->shared->fresh ? write_anew(*s) : read_later(*s);
  });
}

// --- when ----------------------------------------------------------------------------------------

void session_records::look_later(sessions::client_session& s) {
  if (!std::exchange(s.shared->queued, true)) queue_.push_back(s.key);
  if (!std::exchange(awake_, true)) unit_.time.wake(timer::records, {});
}

void session_records::on_timer() {
  awake_ = false;
  for (std::size_t n = 0; n < limits::store_debts_at_once && !queue_.empty(); ++n) {
    const auto s = unit_.sessions.find_key(queue_.front());
    queue_.pop_front();
    if (!s || !s->shared) continue;
    auto& p = *s->shared;
    p.queued = false;
    if (p.unwritten.any() || p.due) write(*s);
    if (p.stale) read(*s);
  }
  if (queue_.empty() || std::exchange(awake_, true)) return;
  unit_.time.wake(timer::records, limits::session_ends_pause);
}

/// An open stream is a sign of life as a request is.
void session_records::tick(time_point t) {
  const auto since = std::exchange(looked_, t);
  if (!line_.ready()) return;
  const auto renew = [&](sessions::client_session& s) {
    if (!s.shared || t - s.shared->renewed < limits::session_renewal) return;
    s.shared->due = true;
    look_later(s);
  };
  unit_.sessions.for_each_used(since, renew);
  unit_.sessions.for_each_stream(renew);
}

}  // namespace gate::routing
