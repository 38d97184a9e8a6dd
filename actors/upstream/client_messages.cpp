#include "actors/upstream/client_messages.hpp"

#include "actors/upstream/approach.hpp"
#include "actors/upstream/input_rounds.hpp"
#include "actors/upstream/lifecycle.hpp"
#include "actors/upstream/sender.hpp"
#include "actors/upstream/server_messages.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "actors/upstream/tenancy.hpp"
#include "actors/upstream/watching.hpp"

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

void client_messages::tell(std::string_view method, std::string_view raw_uri) {
  auto text = sender::head(s_.table.next_id(), method);
  text.append(R"({"uri":)").append(raw_uri) += "}}";
  r_.out.expect(r_.out.post_again(std::move(text)), purpose::replay);
}

void client_messages::renew_subscriptions() {
  for (const auto& uri : s_.client.subscriptions()) tell(mcp::names::subscribe, uri);
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
    if (fresh && s_.now_is == phase::ready && !s_.stateless()) tell(mcp::names::subscribe, *fresh);
  }
  r_.watch.tell();
  if (s_.now_is == phase::closed) r_.way.open();
}

}  // namespace gate::upstream
