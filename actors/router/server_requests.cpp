// A request belongs to the call on whose stream it arrived, goes out on that call's stream under an
// id of ours, and its answer goes back over the same upstream session. Whoever can not be asked is
// answered for.
#include "actors/router/server_requests.hpp"

#include "actors/router/client_streams.hpp"
#include "actors/router/suspended_calls.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/server_request_methods.hpp"
#include "transport/log.hpp"

namespace gate::routing {

using namespace pipeline;

void server_requests::refuse(sessions::client_session::question q, std::string_view why, int code) {
  auto error = std::make_shared<std::string>(R"({"code":)" + std::to_string(code));
  error->append(R"(,"message":")");
  error->append(why).append("\"}");
  client_reply r{q.session, std::move(q.upstream_id), true, *error, error};
  if (unit_.upstreams.there(q.upstream)) unit_.upstreams.tell(q.upstream, std::move(r));
}

void server_requests::forget(call& c) {
  for (auto& q : c.session->remove_call(c.number)) refuse(std::move(q), "the call has ended");
}

void server_requests::on_server_request(server_request& m) {
  auto nobody = [&](std::string_view why, int code = jsonrpc::internal_error) {
    refuse({0, m.call, m.upstream, m.session, std::move(m.id), {}, {}}, why, code);
  };
  if (suspensions_.takes(m)) {
    if (const auto no = suspensions_.ask(m)) nobody(no->why, no->code);
    return;
  }
  auto* c = unit_.calls.find(m.call);
  auto s = c ? c->session : unit_.sessions.find_key(m.client);
  if (!s || (m.call && !c)) return nobody("the call has ended");
  if (c && c->fan_out) return nobody("nothing is to be asked here");
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
    if (unit_.now() - q.since < limits::question) return false;
    --open;
    refuse(std::move(q), "the client did not answer");
    return true;
  });
  if (open >= limits::session_questions) return nobody("too many requests wait for this client");
  const auto id = s->next_question++;
  const auto method = mcp::server_request_method(raw_method);
  // Upstreams number their requests, and what they call their progress, independently of each
  // other; towards the client both have the question's number.
  auto text = std::move(m.text);
  const auto put = [&](std::size_t at, const std::string& old) {
    if (!old.empty()) text.replace(at, old.size(), std::to_string(id));
  };
  if (m.token_offset > m.id_offset) put(m.token_offset, m.token);
  put(m.id_offset, m.id);
  if (m.token_offset < m.id_offset) put(m.token_offset, m.token);
  if (!(c ? streams_.send(*c, text) : streams_.send(*s, text))) return nobody("the client is gone");
  s->questions.push_back({id, m.call, m.upstream, m.session, std::move(m.id), unit_.now(),
                          std::move(m.token), method});
}

void server_requests::on_server_request_cancelled(const server_request_cancelled& m) {
  if (suspensions_.cancel_question(m)) return;
  const auto* of = unit_.calls.find(m.call);
  auto s = of ? of->session : unit_.sessions.find_key(m.client);
  if (!s) return;
  for (auto it = s->questions.begin(); it != s->questions.end(); ++it) {
    if (it->session != m.session || !json::same_scalar(it->upstream_id, m.id)) continue;
    std::string params = R"({"requestId":)" + std::to_string(it->id);
    if (!m.reason.empty()) params.append(R"(,"reason":)").append(m.reason);
    const auto text = jsonrpc::request({}, mcp::names::cancelled, params + "}");
    auto* c = unit_.calls.find(it->call);
    s->questions.erase(it);
    c ? streams_.send(*c, text) : streams_.send(*s, text);
    return;
  }
}

std::optional<request_desk::answered_request> server_requests::answer(
    sessions::client_session& s, const jsonrpc::message& m, std::shared_ptr<const void> keep) {
  auto q = s.take_question(m.id);
  if (!q) {
    log::debug("A client answered something that nobody has asked here.");
    return {};
  }
  const bool failed = !m.error.empty();
  client_reply r{q->session, std::move(q->upstream_id), failed, failed ? m.error : m.result,
                 std::move(keep)};
  if (unit_.upstreams.there(q->upstream)) unit_.upstreams.tell(q->upstream, std::move(r));
  return answered_request{q->method, unit_.snapshot->at(q->upstream)};
}

bool server_requests::pass_progress(sessions::client_session& s, const jsonrpc::message& m) {
  const auto token = json::member(m.params, "progressToken");
  for (const auto& q : s.questions) {
    if (q.token.empty() || token != std::to_string(q.id)) continue;
    std::string params(m.params);
    params.replace(static_cast<std::size_t>(token.data() - m.params.data()), token.size(), q.token);
    if (unit_.upstreams.there(q.upstream))
      unit_.upstreams.tell(q.upstream,
                           client_progress{q.session, jsonrpc::request({}, m.method, params)});
    return true;
  }
  return false;
}

void server_requests::refuse(sessions::client_session& s, std::uint64_t call) {
  std::erase_if(s.questions, [&](sessions::client_session::question& q) {
    if (q.call != call) return false;
    refuse(std::move(q), "the client is gone");
    return true;
  });
}

}  // namespace gate::routing
