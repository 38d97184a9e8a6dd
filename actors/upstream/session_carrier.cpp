#include "actors/upstream/session_carrier.hpp"

#include "actors/upstream/approach.hpp"
#include "actors/upstream/client_messages.hpp"
#include "actors/upstream/input_rounds.hpp"
#include "actors/upstream/lifecycle.hpp"
#include "actors/upstream/sender.hpp"
#include "actors/upstream/server_messages.hpp"
#include "actors/upstream/stateless_sender.hpp"
#include "actors/upstream/task_bridge.hpp"
#include "actors/upstream/watching.hpp"
#include "protocol/mcp/stateless/headers.hpp"

namespace gate::upstream {

using phase = session_state::phase;

void session_carrier::open() {
  if (s_.now_is == phase::closed)
    r_.way.open();
  else if (!s_.credential.good(s_.last_used))
    r_.way.provide_credential();
}

std::uint64_t session_carrier::send(work& w) {
  // With the very token that its own request brought, if the upstream gets that.
  if (w.kind == task::call || w.kind == task::list)
    r_.client.meet(nullptr, w.kind == task::call ? w.call.caller : w.list.caller);
  w.shown = s_.credential.number();
  if (w.kind == task::call && w.renews != work::renewal::fetching) r_.tasks.prepare(w);
  if (s_.stateless()) {
    const bool fetches = w.kind == task::list || w.renews == work::renewal::fetching;
    if (fetches) return r_.plain.post_list(w);
    if (w.kind == task::call) return r_.plain.post_call(w);
    return r_.plain.discover(w.trace());
  }
  if (w.kind == task::call) {
    w.renews = work::renewal::none;  // another server, which repeats nothing in headers
    w.renewal = nullptr;
    s_.called = true;
    r_.client.undo_subscriptions(w);
    return r_.out.post_call(w);
  }
  const auto id = s_.table.next_id();
  if (w.kind != task::list) return r_.out.post_again(sender::head(id, mcp::names::ping) + "{}}");
  auto text = sender::head(id, mcp::method_of(w.list.kind));
  text += w.cursor.empty() ? "{}}" : "{\"cursor\":" + w.cursor + "}}";
  return r_.out.post_again(std::move(text), w.trace());
}

bool session_carrier::tell_cancelled(std::uint64_t fetch, const pending& p,
                                     std::string_view reason) {
  // Without a session there is no other way to say so than to close the exchange, which is done.
  if (!s_.in_session(p) || s_.stateless()) return false;
  std::string params = R"({"requestId":)" + std::to_string(fetch);
  if (!reason.empty()) params.append(R"(,"reason":)").append(reason);
  params += '}';
  r_.out.notice(jsonrpc::request({}, mcp::names::cancelled, params));
  return true;
}

std::optional<std::string> session_carrier::own_answer(const work& w) {
  if (w.kind != task::call) return {};
  // What it was asked by another server, which that one's state belongs to.
  if ((!s_.stateless() && w.input) || (w.errand && w.errand->server != era()))
    return R"("error":{"code":-32603,"message":"the upstream has changed while it asked"}})";
  if (auto own = r_.tasks.own_answer(w)) return own;
  if (!s_.stateless()) return {};
  if (mcp::subscribing_of(w.call.method) != mcp::subscribing::nothing &&
      s_.talk.agreed().features.has(mcp::feature::subscriptions))
    return R"("result":{}})";  // its stream says it
  const bool of_task = mcp::task_step_of(w.call.method) != mcp::task_step::none;
  if (of_task ? makes_tasks() : mcp::find_method(w.call.method, mcp::era::stateless) != nullptr)
    return {};
  return R"("error":{"code":-32601,"message":"the upstream does not know this method"}})";
}

/// What is in the hands of the client was never this server's.
std::shared_ptr<const refusal> session_carrier::own_refusal(const work& w) const {
  if (s_.stateless() || w.kind != task::call || !w.call.resumes) return nullptr;
  return std::make_shared<const refusal>(invalid_state());
}

bool session_carrier::says_lost(const pending& p, const fetched& f) {
  if (f.status == 200) return false;
  const auto body = f.body ? std::string_view(*f.body) : std::string_view{};
  if (!r_.life.is_another_server(f) && (s_.stateless() || !is_lost_session(f.status, body)))
    return false;
  if (p.epoch == s_.talk.epoch()) r_.life.lose();
  return true;
}

bool session_carrier::endpoint_lost(const pending& p, fetch_end how) {
  return r_.way.endpoint_lost(p, how);
}

bool session_carrier::renew_credential(int status, std::uint32_t shown) {
  return r_.way.renew_credential(status, shown);
}

bool session_carrier::asks_client(job& w, const jsonrpc::message& m) {
  return r_.input.begin(w, m);
}

bool session_carrier::goes_on(job& w, const jsonrpc::message& m) {
  return r_.tasks.took(w, m);
}

bool session_carrier::lacks_tools(const work& w, const jsonrpc::message& m) const {
  return s_.stateless() && w.call.method == mcp::names::call_tool &&
         json::member(m.error, "code") == mcp::stateless::header_mismatch;
}

void session_carrier::answered(work& w, const jsonrpc::message& m) {
  if (!m.result.empty()) s_.client.note(w);
  if (s_.stateless()) {
    if (mcp::subscribing_of(w.call.method) != mcp::subscribing::nothing) r_.watch.tell();
    return;
  }
  r_.server.note_task(w, m.task_id);
}

void session_carrier::introduce(bool reached, bool missed) {
  r_.life.introduce(reached, missed);
}

void session_carrier::check_over(std::string_view why) {
  r_.life.check_over(why);
}

void session_carrier::settle() {
  r_.life.settle();
}

}  // namespace gate::upstream
