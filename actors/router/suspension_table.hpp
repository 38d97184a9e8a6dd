#pragma once
/// SUSPENSION TABLE: calls of clients without a session at servers that have sessions, from the
/// first question of the server to the call's end; who holds how many, and how much is kept of
/// them. Each is known by the number under which its upstream works for it, and by a name that
/// states carry (protocol/mcp/stateless/request_state.hpp). Pure; part of SUSPENDED CALLS.
///
///   its client       `live`     what the server says               ends
///   waits for it     a call     goes to that call                  with that call
///   waits elsewhere  0          goes to that instance              with that call, or with time
///   is asked         0          is kept: questions, the answer     with time, or with its upstream
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/messages.hpp"
#include "actors/sessions/client_session.hpp"
#include "protocol/base/sha256.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"

namespace gate::routing {

struct suspended_call {
  using time_point = std::chrono::steady_clock::time_point;

  /// A request of the server that its client has yet to answer.
  struct question {
    mcp::stateless::shown_question shown;
    std::uint64_t session = 0;  ///< the upstream session that asked
    std::string id;             ///< raw; the upstream's own
  };

  std::uint64_t number = 0;  ///< by which its upstream knows it
  std::uint64_t name = 0;    ///< in states
  std::uint32_t round = 0;   ///< of the state that is good; 0: none was handed out
  std::uint64_t live = 0;    ///< the call that waits for it now; 0: none does here
  /// A call of another instance of the fleet.
  struct waiter {
    std::string instance;
    std::uint64_t number = 0;  ///< there
    bool operator==(const waiter&) const = default;
  };
  std::optional<waiter> elsewhere{};  ///< that waits for it now
  bool waited_for() const { return live || elsewhere; }
  std::size_t upstream = 0;
  sessions::session_ptr session;                ///< over whose upstream session it goes
  std::string owner;                            ///< whose share it is
  sha256_digest binding{};                      ///< of whom and what the state is
  std::shared_ptr<const std::string> declares;  ///< what its client can be asked, raw
  std::vector<question> questions;
  std::uint64_t questions_so_far = 0;
  std::optional<time_point> gathers;  ///< so long questions are gathered; nothing: none is new
  time_point until{};                 ///< when it is given up, unless its client waits for it
  std::optional<answered> kept;       ///< what came while nobody waited
  /// Of the attempt before, as its trace knows it; nothing: none is recorded.
  std::optional<trace::span_context> traced;
  trace::trace_id trace{};  ///< of the first attempt, recorded or not, for the log
  std::size_t bytes = 0;    ///< of questions and answer
  std::size_t held = 0;     ///< of the request it came with
};

class suspension_table {
 public:
  /// Null: there is no room for one more of this owner. `name`: random, so never 0 and hardly ever
  /// that of another; then it is null as well.
  /// `held`: bytes of its request, which last as long as the upstream works for it.
  suspended_call* open(std::uint64_t number, std::uint64_t name, std::string owner,
                       std::size_t upstream = 0, std::size_t held = 0) {
    if (name == 0 || by_number_.size() >= limits::suspended_calls || by_name_.contains(name) ||
        by_number_.contains(number) || held > limits::suspended_total - bytes_)
      return nullptr;
    const auto of = held_.find(owner);
    if (of != held_.end() && of->second >= limits::suspended_calls_each) return nullptr;
    auto& at_upstream = at_upstream_[upstream];
    if (at_upstream >= limits::suspended_calls_there) return nullptr;
    ++at_upstream;
    ++held_[owner];
    const auto it = by_number_.try_emplace(number).first;
    it->second.upstream = upstream;
    it->second.held = held;
    bytes_ += held;
    by_name_.emplace(name, number);
    it->second.number = number;
    it->second.name = name;
    it->second.owner = std::move(owner);
    return &it->second;
  }
  suspended_call* find(std::uint64_t number) {
    const auto it = by_number_.find(number);
    return it == by_number_.end() ? nullptr : &it->second;
  }
  suspended_call* find_name(std::uint64_t name) {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : find(it->second);
  }
  /// So much more is kept of it; false, and nothing has changed: there is no room for that.
  bool keep(suspended_call& s, std::size_t bytes) {
    if (bytes > limits::suspended_bytes - s.bytes || bytes > limits::suspended_total - bytes_)
      return false;
    s.bytes += bytes;
    bytes_ += bytes;
    return true;
  }
  void let_go(suspended_call& s, std::size_t bytes) {
    s.bytes -= bytes;
    bytes_ -= bytes;
  }
  void close(suspended_call& s) {
    bytes_ -= s.bytes + s.held;
    if (const auto at = at_upstream_.find(s.upstream); --at->second == 0) at_upstream_.erase(at);
    const auto of = held_.find(s.owner);
    if (--of->second == 0) held_.erase(of);
    by_name_.erase(s.name);
    by_number_.erase(s.number);
  }

  bool empty() const { return by_number_.empty(); }
  std::size_t size() const { return by_number_.size(); }
  std::size_t bytes() const { return bytes_; }
  /// The numbers of those for which `is(suspended_call)` holds.
  template <class F>
  std::vector<std::uint64_t> all(F&& is) const {
    std::vector<std::uint64_t> out;
    for (const auto& [number, s] : by_number_)
      if (is(s)) out.push_back(number);
    return out;
  }
  void clear() { *this = {}; }

 private:
  std::unordered_map<std::uint64_t, suspended_call> by_number_;
  std::unordered_map<std::uint64_t, std::uint64_t> by_name_;
  std::unordered_map<std::string, std::size_t> held_;
  std::unordered_map<std::size_t, std::size_t> at_upstream_;
  std::size_t bytes_ = 0;
};

}  // namespace gate::routing
