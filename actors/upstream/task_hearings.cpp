#include "actors/upstream/task_hearings.hpp"

#include <algorithm>

#include "actors/upstream/sender.hpp"
#include "actors/upstream/task_bridge.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::upstream {

namespace stateless = mcp::stateless;

task_hearings::~task_hearings() {
  for (auto& h : all_) {
    while (!h.shown.empty()) drop(h, 0);
    close(h);
  }
}

task_hearings::opened task_hearings::open(std::string_view raw_id) {
  auto h = find(raw_id);
  if (h != all_.end() && h->fetch) return opened::before;
  auto& room = s_.others.tasks;
  if (room.hearings >= limits::suspended_calls_there) return opened::no;
  if (h == all_.end()) {
    if (all_.size() >= limits::task_hearings) {
      // One that nobody hears any more goes for it.
      h = std::ranges::find(all_, std::uint64_t{0}, &hearing::fetch);
      if (h == all_.end()) return opened::no;
      while (!h->shown.empty()) drop(*h, 0);
      all_.erase(h);
    }
    h = all_.insert(all_.end(), {std::string(raw_id), 0, {}, {}});
  }
  auto text = sender::head(s_.table.next_id(), mcp::names::task_result);
  text.append(R"({"taskId":)").append(raw_id).append("}}");
  h->fetch = r_.out.post_again(std::move(text));
  ++room.hearings;
  auto& p = s_.table.add(h->fetch, purpose::hearing, s_.talk.epoch());
  p.until = s_.now() + limits::task_result;
  s_.wake.set(p.until);
  return opened::anew;
}

std::string task_hearings::questions(std::string_view raw_id, std::string_view raw) const {
  std::vector<stateless::shown_question> taken;
  for (const auto& h : all_) {
    if (!json::same_scalar(h.task, raw_id)) continue;
    for (const auto& q : h.shown)
      if (mcp::refuses_request(raw, q.method, q.params) == 0) taken.push_back(q);
  }
  return taken.empty() ? std::string{} : stateless::questions_member(taken);
}

void task_hearings::answer(std::string_view raw_id, std::string_view raw_responses) {
  const auto h = find(raw_id);
  if (h == all_.end()) return;
  stateless::each_member(raw_responses, [&](std::string_view key, std::string_view value) {
    const auto q = std::ranges::find_if(
        h->shown, [&](const auto& shown) { return json::same_key(key, shown.key); });
    if (q == h->shown.end() || !value.starts_with('{')) return;
    const auto place = static_cast<std::size_t>(q - h->shown.begin());
    r_.out.notice(jsonrpc::result_head(h->ids[place]).append(value).append("}"));
    drop(*h, place);
  });
}

bool task_hearings::on(std::uint64_t id, const jsonrpc::message& m) {
  const auto h = std::ranges::find(all_, id, &hearing::fetch);
  if (h == all_.end()) return false;
  if (m.kind == jsonrpc::kind::request) return m.method != mcp::names::ping && (ask(*h, m), true);
  if (m.method == mcp::names::cancelled) {
    if (const auto at = find_id(h->ids, m.request_id); at != h->ids.end())
      drop(*h, static_cast<std::size_t>(at - h->ids.begin()));
    return true;
  }
  // Who hears nothing of the task but what it asks has no use for the rest of what is said of it.
  return m.method == mcp::names::progress || m.method == mcp::names::message;
}

void task_hearings::ask(hearing& h, const jsonrpc::message& m) {
  // A stream that was gone on with may say again what had no id of its own.
  if (find_id(h.ids, m.id) != h.ids.end()) return;
  const auto refuse = [&](int code, std::string_view why) {
    r_.out.notice(jsonrpc::error_message(m.id, code, why));
  };
  const auto method = stateless::question_method(json::quoted(m.method));
  if (method.empty()) return refuse(jsonrpc::method_not_found, "Method not found");
  if (const auto code = mcp::refuses_request(s_.client.capabilities(), method, m.params))
    return refuse(code, "the client has not declared to answer this");
  auto params = m.params.empty() ? std::string{} : stateless::asked_params(m.params);
  auto& room = s_.others.tasks;
  if (h.shown.size() >= limits::session_questions || params.size() > limits::suspended_bytes ||
      room.bytes + params.size() > limits::task_bytes)
    return refuse(jsonrpc::internal_error, "too many requests, or too large ones");
  room.bytes += params.size();
  // One key names one question in the life of its task, which may know several sessions.
  auto key = "t" + std::to_string(s_.name()) + "-" + std::to_string(++asked_);
  h.shown.push_back({std::move(key), method, std::move(params)});
  h.ids.emplace_back(m.id);
  r_.tasks.resume_within(h.task, limits::question_gather);
}

void task_hearings::ended(std::uint64_t id) {
  const auto h = std::ranges::find(all_, id, &hearing::fetch);
  if (h == all_.end()) return;
  close(*h);
  const auto task = h->task;
  // The server may wait for the answers all the same.
  if (h->shown.empty()) all_.erase(h);
  r_.tasks.resume_within(task, std::chrono::milliseconds{0});
}

void task_hearings::forget(std::string_view raw_id) {
  const auto h = find(raw_id);
  if (h == all_.end()) return;
  while (!h->shown.empty()) drop(*h, 0);
  // A stream that is still open ends by itself, with the result.
  if (!h->fetch) all_.erase(h);
}

void task_hearings::lost() {
  for (auto& h : all_) {
    while (!h.shown.empty()) drop(h, 0);
    if (h.fetch) {
      s_.doors.abandon(h.fetch);
      s_.table.take(h.fetch);
    }
    close(h);
  }
  all_.clear();
}

void task_hearings::drop(hearing& h, std::size_t place) {
  s_.others.tasks.bytes -= h.shown[place].params.size();
  const auto at = static_cast<std::ptrdiff_t>(place);
  h.shown.erase(h.shown.begin() + at);
  h.ids.erase(h.ids.begin() + at);
}

void task_hearings::close(hearing& h) {
  if (std::exchange(h.fetch, 0)) --s_.others.tasks.hearings;
}

std::vector<task_hearings::hearing>::iterator task_hearings::find(std::string_view raw_id) {
  return std::ranges::find_if(all_,
                              [&](const hearing& x) { return json::same_scalar(x.task, raw_id); });
}

}  // namespace gate::upstream
