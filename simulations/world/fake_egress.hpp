#pragma once
/// EGRESS without sockets, and the MCP servers behind it. A `fake_upstream` answers like a decent
/// server unless it is scripted otherwise, and remembers everything that it was asked.
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/mcp/methods.hpp"
#include "transport/interfaces.hpp"

namespace gate::sim {

/// One fetch, as the upstream saw it.
struct sight {
  fetch_ptr what;
  fetch_client asker;
  std::size_t unit = 0;
  std::string body;
  /// The JSON-RPC method; "GET" and "DELETE" for these; "response" for our answers.
  std::string method;
  std::string id;       ///< raw JSON-RPC id
  std::string session;  ///< Mcp-Session-Id
  std::chrono::steady_clock::time_point at;
  bool abandoned = false;
  bool finished = false;
  bool spoke = false;  ///< said something on an event stream
  bool stray = false;  ///< of a session that the upstream does not know
  /// Member of the params, raw.
  std::string param(std::string_view key) const;
  std::string header(std::string_view name) const;
};
using sight_ptr = std::shared_ptr<sight>;

/// What an upstream does with one fetch. In `body` and `events`, `$id` stands for the request's id.
struct reply {
  std::chrono::milliseconds after{0};
  bool never = false;
  fetch_end end = fetch_end::complete;
  int status = 200;
  std::string body{};
  std::vector<std::string> events{};  ///< not empty: the answer is an event stream of these
  bool open = false;                  ///< the event stream does not end
  std::string session{};              ///< Mcp-Session-Id
  bool untouched = false;
  std::string primed{};  ///< not empty: a stream that begins with an empty event of this id
  std::optional<std::uint32_t> retry{};
  std::string why{};  ///< what the log is to say of a bad end
  bool retry_after = false;
  std::string retry_after_text{};
  /// What is said besides, each after its own time; of a stream that is open.
  std::vector<std::shared_ptr<const reply>> later{};

  static reply silence() { return {.never = true}; }
  static reply result(std::string raw, std::chrono::milliseconds after = {}) {
    return {.after = after, .body = R"({"jsonrpc":"2.0","id":$id,"result":)" + raw + "}"};
  }
  static reply error(std::string raw, std::chrono::milliseconds after = {}) {
    return {.after = after, .body = R"({"jsonrpc":"2.0","id":$id,"error":)" + raw + "}"};
  }
  static reply http(int status, std::string body = {}) {
    return {.status = status, .body = std::move(body)};
  }
  static reply failure(fetch_end end, bool untouched = false) {
    return {.end = end, .status = 0, .untouched = untouched};
  }
};

class fake_upstream {
 public:
  explicit fake_upstream(std::string id);

  /// The next fetch of this method is answered so; may be queued up.
  void next(const std::string& method, reply r) { next_[method].push_back(std::move(r)); }
  /// All fetches of this method are, from now on.
  void always(const std::string& method, std::function<reply(const sight&)> f) {
    always_[method] = std::move(f);
  }
  void always(const std::string& method, reply r) {
    always_[method] = [r](const sight&) { return r; };
  }
  void behave(const std::string& method) { always_.erase(method); }

  /// Raw items of the lists, and how many of them fit on a page.
  std::vector<std::string> tools, prompts, resources, templates, tasks;
  /// What `initialize` declares, raw.
  std::string capabilities = R"({"tools":{"listChanged":true},"prompts":{},"resources":{},)"
                             R"("completions":{},"logging":{}})";
  std::string version = "2025-06-18";
  std::string instructions;  ///< raw; empty: none
  std::size_t page_size = 100;
  /// Does it offer a GET stream, does it hand out session ids?
  bool streams = true;
  bool sessions = true;
  /// It speaks MCP 2026-07-28, and nothing else; `capabilities` are what `server/discover` says.
  /// What is wrong with a request by the rules of that revision stands in `wrongs`.
  bool stateless = false;
  std::vector<std::string> wrongs;
  bool greets = false;  ///< with `stateless`: it answers `initialize` all the same, with a session
  /// DELETEs are not sent: others go before them, for as long as that is so.
  bool ends_wait = false;
  /// Sessions that it has room for: more are refused with 503 and Retry-After.
  std::size_t room = std::numeric_limits<std::size_t>::max();
  /// How it speaks of a session that it does not know.
  reply unknown_session = reply::http(404);

  /// As a restart of the server would.
  void forget_sessions() { known_.clear(); }
  std::size_t open_sessions() const { return known_.size(); }

  /// All fetches so far, or those of one method.
  const std::vector<sight_ptr>& seen() const { return seen_; }
  std::vector<sight_ptr> seen(std::string_view method) const;
  std::size_t count(std::string_view method) const { return seen(method).size(); }
  /// The latest of this method; null if there was none.
  sight_ptr last(std::string_view method) const;
  /// Fetches that have neither ended nor been abandoned.
  std::vector<sight_ptr> under_way(std::string_view method) const;

  /// One more event on a stream that is open; ends it.
  static void push(const sight_ptr& s, std::string data);
  static void push(const sight_ptr& s, std::string id, std::string data,
                   std::optional<std::uint32_t> retry = {});
  static void close(const sight_ptr& s, fetch_end end = fetch_end::complete,
                    std::optional<std::uint32_t> retry = {});
  /// The answer to a fetch that was left unanswered.
  static void answer(const sight_ptr& s, reply r);
  /// An event on every GET stream.
  void announce(const std::string& data);

 private:
  friend class fake_egress;
  reply decide(sight& s);
  reply decide_stateless(const sight& s);
  reply greeting();
  reply list_page(const sight& s, mcp::list_kind k) const;

  std::string id_;
  std::map<std::string, std::deque<reply>> next_;
  std::map<std::string, std::function<reply(const sight&)>> always_;
  std::vector<sight_ptr> seen_;
  std::set<std::string> known_;
  std::size_t session_count_ = 0;
};

/// The world's servers, by the host of their URL without `.test`. Shared by the EGRESS of all
/// units.
using fake_network = std::map<std::string, std::unique_ptr<fake_upstream>>;

/// To itself: a reply is due.
struct reply_due {
  sight_ptr to;
  std::shared_ptr<const reply> what;
};

class fake_egress final : public egress_handle::extend<caf::reacts_to<reply_due>>::base {
 public:
  fake_egress(caf::actor_config& cfg, std::shared_ptr<fake_network> net, std::size_t unit);
  behavior_type make_behavior() override;
  void on_exit() override { by_number_.clear(); }
  const char* name() const override { return "fake egress"; }

 private:
  std::shared_ptr<fake_network> net_;
  std::size_t unit_;
  /// By the numbers of their fetches, which are unique for each of those who ask.
  std::unordered_multimap<std::uint64_t, sight_ptr> by_number_;
};

}  // namespace gate::sim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::reply_due)
