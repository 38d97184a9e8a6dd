// ROUTER: what upstreams ask of clients (sampling, elicitation, roots). A question belongs to the
// call on whose stream it arrived, goes out on that call's stream under an id of ours, and its
// answer goes back over the same upstream session. Whoever can not be asked is answered for.
#include "actors/router/router.hpp"
#include "protocol/limits.hpp"
#include "protocol/sse/writer.hpp"
#include "transport/log.hpp"

namespace gate {

using namespace pipeline;

void router::on_heard(heard& m) {
  auto s = sessions_.find_key(m.client);
  if (!s || !s->profile->listening) return;
  if (m.updated.empty()) {
    send_event(*s, m.text);
    return;
  }
  s->notices.add_updated(m.updated, std::move(m.text));
  send_notices(*s);
}

/// In the client's place, so that the upstream need not wait for nobody.
void router::refuse_question(sessions::client_session::question q, std::string_view why) {
  auto error = std::make_shared<std::string>(R"({"code":-32603,"message":")");
  error->append(why).append("\"}");
  client_reply r{q.session, std::move(q.upstream_id), true, *error, error};
  if (upstreams_[q.upstream]) send(upstreams_[q.upstream], std::move(r));
}

void router::forget(call& c) {
  if (!c.session) return;
  for (auto& q : c.session->remove_call(c.number))
    refuse_question(std::move(q), "the call has ended");
}

void router::on_asked(asked& m) {
  auto nobody = [&](std::string_view why) {
    refuse_question({0, m.call, m.upstream, m.session, std::move(m.id), {}}, why);
  };
  auto* c = calls_.find(m.call);
  auto s = c ? c->session : sessions_.find_key(m.client);
  if (!s || (m.call && !c)) return nobody("the call has ended");
  // What nobody answers must not keep others from asking: neither for ever, nor other upstreams.
  std::size_t open = 0;
  std::erase_if(s->questions, [&](sessions::client_session::question& q) {
    if (q.upstream != m.upstream) return false;
    ++open;
    if (now() - q.since < limits::question) return false;
    --open;
    refuse_question(std::move(q), "the client did not answer");
    return true;
  });
  if (open >= limits::session_questions) return nobody("too many requests wait for this client");
  const auto id = s->next_question++;
  std::string text = m.text.substr(0, m.id_offset);
  text += std::to_string(id);
  text += std::string_view(m.text).substr(m.id_offset + m.id.size());
  if (!(c ? send_event(*c, text) : send_event(*s, text))) return nobody("the client is gone");
  s->questions.push_back({id, m.call, m.upstream, m.session, std::move(m.id), now()});
}

void router::on_withdrawn(const withdrawn& m) {
  const auto* of = calls_.find(m.call);
  auto s = of ? of->session : sessions_.find_key(m.client);
  if (!s) return;
  for (auto it = s->questions.begin(); it != s->questions.end(); ++it) {
    if (it->session != m.session || it->upstream_id != m.id) continue;
    std::string params = R"({"requestId":)" + std::to_string(it->id);
    if (!m.reason.empty()) params.append(R"(,"reason":)").append(m.reason);
    const auto text = jsonrpc::request({}, "notifications/cancelled", params + "}");
    auto* c = calls_.find(it->call);
    s->questions.erase(it);
    c ? send_event(*c, text) : send_event(*s, text);
    return;
  }
}

void router::answer_question(sessions::client_session& s, const jsonrpc::message& m,
                             std::shared_ptr<const void> keep) {
  auto q = s.take_question(m.id);
  if (!q) {
    log::debug("A client answered something that nobody asked; the answer is dropped.");
    return;
  }
  const bool failed = !m.error.empty();
  client_reply r{q->session, std::move(q->upstream_id), failed, failed ? m.error : m.result,
                 std::move(keep)};
  if (upstreams_[q->upstream]) send(upstreams_[q->upstream], std::move(r));
}

void router::change_profile(sessions::client_session& s, client_profile p) {
  s.profile = std::make_shared<const client_profile>(std::move(p));
  for (auto& u : upstreams_)
    if (u) send(u, profile_changed{s.key, s.profile});
}

void router::set_level(sessions::client_session& s, std::string_view raw_level) {
  auto p = *s.profile;
  p.log_level = raw_level;
  change_profile(s, std::move(p));
}

void router::tell_upstreams(sessions::client_session& s, std::string_view notification) {
  for (auto& u : upstreams_)
    if (u) send(u, client_notice{s.key, notification});
}

}  // namespace gate
