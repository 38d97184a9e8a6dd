#include "actors/upstream/client_messages.hpp"

#include <algorithm>

#include "actors/upstream/approach.hpp"
#include "actors/upstream/input_rounds.hpp"
#include "actors/upstream/lifecycle.hpp"
#include "actors/upstream/sender.hpp"
#include "actors/upstream/server_messages.hpp"
#include "actors/upstream/spoken.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "actors/upstream/tenancy.hpp"
#include "actors/upstream/watching.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

using phase = session_state::phase;

void client_messages::on(client_reply& m) {
  // To a server of the stateless generation nobody answers in another way.
  if (r_.input.on(m) || s_.stateless()) return;
  if (m.session != s_.name()) return;  // asked in a session that is lost
  r_.server.question_over(m.id);
  const auto id = r_.out.post(m.failed ? jsonrpc::error_head(m.id) : jsonrpc::result_head(m.id),
                              m.payload, {}, "}", std::move(m.keep), true);
  r_.out.expect(id, purpose::notice);
  if (s_.greets) s_.greets->answered(m.id, id);
}

void client_messages::on(client_progress& m) {
  if (s_.now_is == phase::ready && !s_.stateless() && m.session == s_.name())
    r_.out.notice(std::move(m.text));
}

void client_messages::on(const client_notice& m) {
  if (s_.now_is == phase::ready && !s_.stateless()) r_.out.notice(jsonrpc::request({}, m.method));
}

void client_messages::meet(const profile_ptr& p, const identity::caller_ptr& c) {
  s_.client.learn(p);
  if (s_.credential.meet(c)) s_.make_headers();
}

void client_messages::on(const profile_changed& m) {
  const auto change = s_.client.learn(m.profile);
  // That its client's stream has closed or is back is nothing to the upstream.
  if (!change.known || change.presence) return;
  const bool wants_stream = s_.client.wants_stream();
  if (s_.now_is == phase::closed && wants_stream && !s_.closing && s_.talk.epoch() > 0)
    return r_.way.open();
  if (s_.now_is != phase::ready) return;
  if (change.level) send_level();
  if (wants_stream && !s_.stream.id() && s_.now() >= s_.stream.due()) {
    // Opened for lists, before its client listened: the server still has the first word.
    if (s_.of.config.per_client && !s_.called && !s_.greets) r_.life.greet();
    r_.streams.open();
    if (s_.greets) r_.life.check_greeting();
  } else if (!wants_stream && s_.stream.id()) {
    r_.streams.close();
  }
}

void client_messages::send_level() {
  if (s_.stateless()) return;  // each request says it
  const auto& p = s_.client.profile();
  if (!p || p->log_level.empty() || !s_.talk.agreed().features.has(mcp::feature::logging)) return;
  const auto id = r_.out.post(sender::head(s_.table.next_id(), mcp::names::set_level),
                              R"({"level":)", p->log_level, "}}", p, true);
  r_.out.expect(id, purpose::replay);
}

// --- subscriptions -------------------------------------------------------------------------------

void client_messages::tell(std::string_view method, std::string_view raw_uri, bool renewal) {
  say(raw_uri, method == mcp::names::subscribe, renewal, false);
}

void client_messages::say(std::string_view raw_uri, bool wanted, bool renewal, bool again) {
  if (!s_.has_credential()) {
    said_.hold(raw_uri, wanted, renewal, again);
    return r_.way.provide_credential();
  }
  const auto id = s_.table.next_id();
  if (!said_.say(id, raw_uri, wanted, renewal, again, s_.credential.number())) return;
  auto text = sender::head(id, wanted ? mcp::names::subscribe : mcp::names::unsubscribe);
  text.append(R"({"uri":)").append(raw_uri) += "}}";
  r_.out.expect(r_.out.post_again(std::move(text)), purpose::replay);
}

void client_messages::say_held() {
  for (const auto& [uri, word] : said_.take_held()) say(uri, word.wanted, word.renewal, word.again);
}

/// What nobody waits for is said when one can be had again.
void client_messages::without_credential() {
  for (const auto& [uri, word] : said_subscriptions::held_words(said_.held())) {
    if (!awaited_.erase(uri)) continue;
    said_.drop_held(uri);
    s_.client.drop(uri);
    report(uri, false);
  }
}

/// True: it is said once more, with another credential. What was refused for that is unknown there.
bool client_messages::say_again(std::uint64_t fetch, int status) {
  const auto* word = said_.find(fetch);
  if (!word || word->again || !r_.way.renew_credential(status, word->shown)) return false;
  const auto refused = *said_.end(fetch);
  say(refused.uri, refused.now, refused.renewal, true);
  return true;
}

void client_messages::renew_subscriptions() {
  said_.forget();
  // Its stream says it.
  if (s_.stateless()) return watched();
  // (Some may be dropped on the way, without a credential.)
  for (const auto& uri : client_side::uris(s_.client.subscriptions()))
    tell(mcp::names::subscribe, uri, true);
}

void client_messages::could_not_open() {
  settle_awaited(false);
}

void client_messages::answered(std::uint64_t fetch, const jsonrpc::message& m) {
  settle(fetch, m.error.empty() ? reply::agreed : reply::refused);
}

void client_messages::ended(const pending& p, const fetched& f) {
  const auto body = f.body ? std::string_view(*f.body) : std::string_view{};
  if (!r_.way.endpoint_lost(p, f.end) && p.epoch == s_.talk.epoch()) {
    const auto* word = said_.find(f.id);
    // A refusal of what a new session is told is about that, not about the session: it was opened a
    // moment ago.
    const bool lost =
        f.end == fetch_end::complete && word && !word->renewal && is_lost_session(f.status, body);
    if (lost || r_.life.is_another_server(f)) r_.life.lose();
  }
  if (!s_.in_session(p)) return;  // the next one says it again
  if (f.end == fetch_end::complete && say_again(f.id, f.status)) return;
  if (const auto m = read_message(body);
      m && m->kind == jsonrpc::kind::response && m->id == std::to_string(f.id))
    return answered(f.id, *m);
  settle(f.id, f.end == fetch_end::complete && f.status != 200 ? reply::refused : reply::silent);
}

void client_messages::late(std::uint64_t fetch, const pending& p) {
  if (s_.in_session(p)) settle(fetch, reply::silent);
}

void client_messages::settle(std::uint64_t fetch, reply how) {
  const auto word = said_.end(fetch);
  if (!word) return;
  const bool agreed = how == reply::agreed;
  if (word->wanted && word->now && awaited_.contains(word->uri)) {
    const auto until = awaited_.at(word->uri);
    if (agreed && is_unheard() && until > s_.now()) {
      s_.wake.set(until);
      return void(agreed_.insert(word->uri));
    }
    awaited_.erase(word->uri);
    if (!agreed) s_.client.drop(word->uri);
    // It may have heard it all the same.
    if (how == reply::silent) tell(mcp::names::unsubscribe, word->uri);
    return report(word->uri, agreed);
  }
  if (word->now == word->wanted || (word->wanted && how == reply::refused)) return;
  tell(word->now ? mcp::names::subscribe : mcp::names::unsubscribe, word->uri);
}

void client_messages::report(std::string uri, bool agreed) {
  s_.doors.tell(subscribed{s_.of.config.index, s_.who.client, std::move(uri), agreed});
}

/// Would it be lost what the server tells now, and would not be in a moment?
bool client_messages::is_unheard() const {
  return s_.client.wants_stream() && !s_.stream.settled();
}

void client_messages::stream_settled() {
  if (!s_.stream.settled()) return;
  for (const auto& uri : std::exchange(agreed_, {}))
    if (awaited_.erase(uri)) report(uri, true);
}

session_state::time_point client_messages::look(session_state::time_point now) {
  watched();
  auto next = session_state::never;
  for (const auto& uri : client_side::uris(agreed_)) {
    const auto until = awaited_.at(uri);
    if (until > now) {
      next = std::min(next, until);
      continue;
    }
    agreed_.erase(uri);
    awaited_.erase(uri);
    report(uri, true);
  }
  return next;
}

/// All at once: it is no question of a single one.
void client_messages::settle_awaited(bool agreed) {
  agreed_.clear();
  for (auto& [uri, until] : std::exchange(awaited_, {})) {
    if (!agreed) s_.client.drop(uri);
    report(uri, agreed);
  }
  if (!agreed) r_.watch.tell();
}

/// As soon as the stream is acknowledged on which it would be told; not at all after the time in
/// which that should be.
void client_messages::watched() {
  if (awaited_.empty() || s_.now_is != phase::ready || !s_.stateless()) return;
  if (!s_.talk.agreed().features.has(mcp::feature::subscriptions)) return settle_awaited(false);
  r_.watch.tell();  // or it would be known of none
  const auto now = s_.now();
  bool refused = false;
  for (const auto& [uri, until] : std::map(awaited_)) {
    auto told = r_.watch.told(uri);
    if (!told && until <= now) told = false;
    if (!told) {
      s_.wake.set(until);
      continue;
    }
    awaited_.erase(uri);
    if (!*told) {
      s_.client.drop(uri);
      refused = true;
    }
    report(uri, *told);
  }
  if (refused) r_.watch.tell();
}

void client_messages::await(std::string uri) {
  // Streams that come and go at once must not fill the way to a server that is slow to hear of
  // them.
  const bool busy = said_.size() >= limits::session_subscriptions;
  if ((s_.client.full() || busy) && !s_.client.subscriptions().contains(uri))
    return report(std::move(uri), false);
  s_.client.add(uri);
  awaited_.insert_or_assign(uri, s_.now() + s_.of.config.request);
  agreed_.erase(uri);
  if (s_.now_is == phase::ready && !s_.stateless()) tell(mcp::names::subscribe, uri);
}

void client_messages::undo_subscriptions(const work& w) {
  if (mcp::subscribing_of(w.call.method) != mcp::subscribing::ends) return;
  const auto uri = uri_of(w);
  for (auto& [id, p] : s_.table.all())
    if (p.call() && mcp::subscribing_of(p.call()->method) == mcp::subscribing::begins &&
        uri_of(*p.job) == uri)
      p.job->undone = true;
}

void client_messages::on(const gate::unsubscribe& m) {
  for (const auto& uri : m.uris) {
    s_.client.drop(uri);
    awaited_.erase(uri);
    agreed_.erase(uri);
    if (s_.now_is == phase::ready && !s_.stateless()) tell(mcp::names::unsubscribe, uri);
  }
  r_.watch.tell();
}

void client_messages::on(subscribe_again& m) {
  r_.place.taken();
  if (s_.closing) return;
  meet(m.profile, m.caller);
  for (auto& uri : m.uris) {
    const auto* fresh = s_.client.add(std::move(uri));
    if (fresh && s_.now_is == phase::ready && !s_.stateless())
      tell(mcp::names::subscribe, std::string(*fresh));
  }
  for (auto& uri : m.awaited) await(std::move(uri));
  r_.watch.tell();
  watched();
  if (s_.now_is == phase::closed) r_.way.open();
}

}  // namespace gate::upstream
