// ROUTER: what upstreams ask of clients (sampling, elicitation, roots). A question belongs to the
// call on whose stream it arrived, goes out on that call's stream under an id of ours, and its
// answer goes back over the same upstream session. Whoever can not be asked is answered for.
#include "actors/router/router.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/question_methods.hpp"
#include "transport/log.hpp"

namespace gate {

using namespace pipeline;

void router::on_heard(heard& m) {
  auto s = sessions_.find_key(m.client);
  if (!s || !s->access->view->reaches(m.upstream)) return;
  if (!m.updated.empty()) return on_updated(m, *s);
  if (s->profile->listening) send_event(*s, m.text);
}

/// Only what the client is subscribed to, at this upstream, and may be.
void router::on_updated(heard& m, sessions::client_session& s) {
  std::string uri;
  if (m.updated.size() > limits::uri_bytes || !json::unquote(m.updated, uri)) return;
  if (!awaits_update(s, m.upstream, uri) || !may_subscribe(s, m.upstream, uri)) return;
  if (s.profile->listening) {
    s.notices.add_updated(m.updated, std::move(m.text));
    return send_notices(s);
  }
  // Without a stream of its own it hears of it where it was said.
  if (auto* c = calls_.find(m.call); c && c->session.get() == &s) send_event(*c, m.text);
}

/// In the client's place, so that the upstream need not wait for nobody.
void router::refuse_question(sessions::client_session::question q, std::string_view why, int code) {
  auto error = std::make_shared<std::string>(R"({"code":)" + std::to_string(code));
  error->append(R"(,"message":")");
  error->append(why).append("\"}");
  client_reply r{q.session, std::move(q.upstream_id), true, *error, error};
  if (upstreams_[q.upstream]) send(upstreams_[q.upstream], std::move(r));
}

void router::forget(call& c) {
  if (!c.session) return;
  for (auto& q : c.session->remove_call(c.number))
    refuse_question(std::move(q), "the call has ended");
  sessions_.touch(*c.session, now());
  if (winding_down_ && c.session->calls.empty()) sessions_.end_stream(*c.session);
}

void router::on_asked(asked& m) {
  auto nobody = [&](std::string_view why, int code = jsonrpc::internal_error) {
    refuse_question({0, m.call, m.upstream, m.session, std::move(m.id), {}, {}}, why, code);
  };
  auto* c = calls_.find(m.call);
  auto s = c ? c->session : sessions_.find_key(m.client);
  if (!s || (m.call && !c)) return nobody("the call has ended");
  if (c && c->survey) return nobody("nothing is to be asked here");
  if (!c && !s->access->view->reaches(m.upstream)) return nobody("the client is gone");
  const auto raw_method = json::member(m.text, "method");
  std::string name;
  json::unquote(raw_method, name);
  if (const auto code =
          mcp::refuses_request(s->profile->capabilities, name, json::member(m.text, "params")))
    return nobody(code == jsonrpc::method_not_found
                      ? "Method not found"
                      : "the client has not declared that it takes such a request",
                  code);
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
  const auto method = mcp::question_method(raw_method);
  // Upstreams number their requests, and what they call their progress, independently of each
  // other; towards the client both have the question's number.
  auto text = std::move(m.text);
  const auto put = [&](std::size_t at, const std::string& old) {
    if (!old.empty()) text.replace(at, old.size(), std::to_string(id));
  };
  if (m.token_offset > m.id_offset) put(m.token_offset, m.token);
  put(m.id_offset, m.id);
  if (m.token_offset < m.id_offset) put(m.token_offset, m.token);
  if (!(c ? send_event(*c, text) : send_event(*s, text))) return nobody("the client is gone");
  s->questions.push_back(
      {id, m.call, m.upstream, m.session, std::move(m.id), now(), std::move(m.token), method});
}

void router::on_withdrawn(const withdrawn& m) {
  const auto* of = calls_.find(m.call);
  auto s = of ? of->session : sessions_.find_key(m.client);
  if (!s) return;
  for (auto it = s->questions.begin(); it != s->questions.end(); ++it) {
    if (it->session != m.session || !json::same_scalar(it->upstream_id, m.id)) continue;
    std::string params = R"({"requestId":)" + std::to_string(it->id);
    if (!m.reason.empty()) params.append(R"(,"reason":)").append(m.reason);
    const auto text = jsonrpc::request({}, "notifications/cancelled", params + "}");
    auto* c = calls_.find(it->call);
    s->questions.erase(it);
    c ? send_event(*c, text) : send_event(*s, text);
    return;
  }
}

std::optional<router::answered_question> router::answer_question(sessions::client_session& s,
                                                                 const jsonrpc::message& m,
                                                                 std::shared_ptr<const void> keep) {
  auto q = s.take_question(m.id);
  if (!q) {
    log::debug("A client answered something that nobody asked; the answer is dropped.");
    return {};
  }
  const bool failed = !m.error.empty();
  client_reply r{q->session, std::move(q->upstream_id), failed, failed ? m.error : m.result,
                 std::move(keep)};
  if (upstreams_[q->upstream]) send(upstreams_[q->upstream], std::move(r));
  return answered_question{q->method, snapshot_->at(q->upstream)};
}

void router::pass_progress(sessions::client_session& s, const jsonrpc::message& m) {
  const auto token = json::member(m.params, "progressToken");
  for (const auto& q : s.questions) {
    if (q.token.empty() || token != std::to_string(q.id)) continue;
    std::string params(m.params);
    params.replace(static_cast<std::size_t>(token.data() - m.params.data()), token.size(), q.token);
    if (upstreams_[q.upstream])
      send(upstreams_[q.upstream],
           client_progress{q.session, jsonrpc::request({}, m.method, params)});
    return;
  }
}

void router::change_profile(sessions::client_session& s, client_profile p) {
  ++p.version;
  s.profile = std::make_shared<const client_profile>(std::move(p));
  for (const auto index : s.upstreams)
    if (index < upstreams_.size() && upstreams_[index])
      send(upstreams_[index], profile_changed{s.key, s.profile});
}

void router::set_level(sessions::client_session& s, std::string_view raw_level) {
  auto p = *s.profile;
  p.log_level = raw_level;
  change_profile(s, std::move(p));
}

void router::tell_upstreams(sessions::client_session& s, std::string_view notification) {
  for (const auto index : s.upstreams)
    if (index < upstreams_.size() && upstreams_[index])
      send(upstreams_[index], client_notice{s.key, notification});
}

}  // namespace gate
