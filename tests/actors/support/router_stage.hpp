#pragma once
/// ROUTER's parts without ROUTER: no actors, no messages. What goes out through the doors is
/// written down; what would come back, the test brings.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/router/parts.hpp"
#include "config/snapshot/snapshot.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "transport/metrics.hpp"

namespace gate::sim {

struct fake_doors final : routing::upstream_door, routing::partner_door, routing::time_door {
  std::vector<bool> up;
  std::vector<std::pair<std::size_t, invoke>> calls;
  std::vector<std::pair<std::size_t, routing::to_upstream>> told;
  std::vector<listed> nobody;
  bool limiter = true, keys = true, mint = true;
  std::vector<std::uint64_t> metered, health;
  std::vector<std::size_t> wanted_keys, departed;
  std::vector<std::pair<std::uint64_t, gate::find_tasks>> ledger;
  std::vector<gate::pin_task> pinned;
  std::vector<gate::note_minting> mintings;
  std::vector<gate::redeem> assertions;
  std::vector<store_request> asked;
  std::vector<std::pair<std::uint64_t, routing::inquiry_question>> inquired;
  std::vector<std::pair<routing::timer, std::chrono::steady_clock::duration>> timers;
  routing::time_point t{std::chrono::hours{1}};

  std::size_t slots() const override { return up.size(); }
  bool there(std::size_t i) const override { return i < up.size() && up[i]; }
  void ask(std::size_t i, invoke m) override { calls.emplace_back(i, std::move(m)); }
  void tell(std::size_t i, routing::to_upstream m) override {
    if (there(i)) told.emplace_back(i, std::move(m));
  }
  void answer_later(listed m) override { nobody.push_back(std::move(m)); }
  bool has_limiter() const override { return limiter; }
  void meter(std::uint64_t call, const rate_scopes_ptr&) override { metered.push_back(call); }
  bool has_keys(std::size_t) const override { return keys; }
  void want_keys(std::size_t source) override { wanted_keys.push_back(source); }
  void find_tasks(std::uint64_t call, gate::find_tasks m) override {
    ledger.emplace_back(call, std::move(m));
  }
  void pin_task(gate::pin_task m) override { pinned.push_back(std::move(m)); }
  void note_minting(gate::note_minting m) override { mintings.push_back(std::move(m)); }
  bool redeem(gate::redeem m) override {
    if (mint) assertions.push_back(std::move(m));
    return mint;
  }
  void ask_health(std::uint64_t call) override { health.push_back(call); }
  void inquire(std::uint64_t call, routing::inquiry_question what) override {
    inquired.emplace_back(call, std::move(what));
  }
  void ask(store_request m) override { asked.push_back(std::move(m)); }
  void left(std::size_t i) override { departed.push_back(i); }
  routing::time_point now() const override { return t; }
  void wake(routing::timer what, std::chrono::steady_clock::duration after) override {
    timers.emplace_back(what, after);
  }

  /// What was told, of one kind, in order; forgotten with that.
  template <class Message>
  std::vector<std::pair<std::size_t, Message>> take() {
    std::vector<std::pair<std::size_t, Message>> out;
    std::erase_if(told, [&](auto& x) {
      auto* m = std::get_if<Message>(&x.second);
      if (m) out.emplace_back(x.first, std::move(*m));
      return m != nullptr;
    });
    return out;
  }
  /// The latest timer of this kind, in milliseconds; -1: none.
  long long timer(routing::timer what) const;
};

/// One ROUTER's parts, and the doors around them: a federation of two servers, `a` and `b`, unless
/// a test wants another one.
class staged_router {
 public:
  static constexpr std::string_view two_servers =
      R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";

  struct options {
    std::string_view config = two_servers;
    std::optional<std::string> signing_key{};  ///< what `auth.ema.signingKeyRef` names
    std::optional<routing::fleet_settings> fleet{};
    std::uint64_t seed = 1;  ///< of what it draws: those of a fleet draw differently
  };
  explicit staged_router(const options& o);

  /// The next configuration, as a reload brings it.
  void reload(std::string_view config);
  /// A client's request, from its first stage on.
  receipt_ptr arrive(verb method, const std::vector<std::string>& lines, std::string body = {},
                     std::string_view path = "/mcp");
  /// A POST of this session.
  receipt_ptr post(const std::string& session, std::string body);
  /// A request of a client without one; `more`, `meta`: further members of its params, and of
  /// their `_meta`.
  receipt_ptr post_stateless(std::string_view raw_id, std::string_view rpc_method,
                             std::string_view name, std::string_view more = {},
                             std::string_view capabilities = "{}", std::string_view meta = {});
  /// Opens a client's session; the servers have introduced themselves.
  sessions::session_ptr open(const std::string& capabilities = "{}");
  /// The request by which a client opens one.
  receipt_ptr open_request(const std::string& capabilities = "{}");
  /// The session with this id, for a caller without a name; null: it is not held here.
  sessions::session_ptr session(const std::string& id);
  /// A GET stream of it.
  receipt_ptr listen(const sessions::session_ptr& s);
  /// What an upstream answers to the latest call.
  void answer(std::string_view raw_result);
  /// The same, of another kind or to another call (0: the latest).
  void answer_with(gate::answer what, std::string_view payload, std::uint64_t call = 0);
  /// What it lists, for a fetch that was taken from the doors.
  void list(std::size_t upstream, const fetch_list& wanted, std::vector<std::string> names);
  /// Every fetch that was asked for is answered so.
  void list_all(const std::vector<std::string>& names);
  void pass(std::chrono::milliseconds d) { doors.t += d; }
  routing::unit& unit() { return it.shared(); }

  fake_doors doors;
  std::shared_ptr<gate::metrics> counters = std::make_shared<gate::metrics>();
  std::uint64_t next_exchange = 1;
  config::compiler compiler;
  routing::parts it;
};

class router_stage : public ::testing::Test, protected staged_router {
 protected:
  explicit router_stage(std::string_view config = two_servers,
                        const std::optional<std::string>& signing_key = {})
      : staged_router({config, signing_key}) {}
};

}  // namespace gate::sim
