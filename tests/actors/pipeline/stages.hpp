#pragma once
/// Calls on their way through the true stages, with a desk that is a test's own: nobody else is
/// there, no actor, no ROUTER. What the stage under test needs of the stages before it is asked of
/// them, since nobody else can state what they find out.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/pipeline/steps.hpp"
#include "config/validate.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "tests/actors/pipeline/fake_desk.hpp"

namespace gate::sim {

inline config::document read_document(const std::string& text) {
  auto parsed = config::load(text);
  for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
  return std::move(parsed.doc);
}

/// Two upstreams, whose names have prefixes.
inline constexpr auto a_and_b =
    R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},)"
    R"({"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";

/// Whoever comes is let in, or is put aside.
struct open_entrance final : fake_entrance {
  explicit open_entrance(const config::document& doc)
      : who(identity::make_authority(doc, std::nullopt).value()) {}
  identity::gatekeeper& keeper() override { return who; }
  void count_ambiguous() override { ++ambiguous; }
  bool await_keys(host_fact& c, std::size_t) override {
    ++asked_keys;
    if (keys_come) waiting = std::move(c);
    return keys_come;
  }
  void await_body(host_fact c) override { waiting = std::move(c); }
  bool meter(pipeline::fact<pipeline::stage::authenticate>& c,
             const rate_scopes_ptr& scopes) override {
    counted_in = scopes;
    if (limiter_is_there) metered.emplace(std::move(c));
    return limiter_is_there;
  }

  identity::gatekeeper who;
  bool keys_come = true;
  bool limiter_is_there = true;
  std::size_t asked_keys = 0, ambiguous = 0;
  rate_scopes_ptr counted_in;
  std::optional<host_fact> waiting;
  std::optional<pipeline::fact<pipeline::stage::authenticate>> metered;
};

/// One session, `s`, is known.
struct one_session final : fake_sessions {
  one_session() {
    known->id = "s";
    known->version = "2025-11-25";
  }
  sessions::session_ptr find(std::string_view id, const identity::access_ptr& who) override {
    known->access = who;
    return id == "s" ? known : nullptr;
  }
  search seek(limited_fact&) override { return sought; }

  sessions::session_ptr known =
      std::make_shared<sessions::client_session>(std::make_shared<sse::replay_pool>());
  search sought = search::vain;
};

/// Resources of upstream `index`, once their lists are there.
struct some_lists final : fake_lists {
  pipeline::owner_outcome owner(pipeline::call&) override {
    using state = pipeline::owner_outcome::state;
    if (waits) return {state::waiting, 0, mcp::list_kind::resources, {}};
    return index ? pipeline::owner_outcome{state::found, *index, {}, {}}
                 : pipeline::owner_outcome{};
  }
  void wait_for_owner(limited_fact c, mcp::list_kind) override { waiting = std::move(c); }
  pipeline::list_outcome list(pipeline::call&) override { return std::move(next); }
  void wait(guarded_fact c) override { waiting_list = std::move(c); }

  std::optional<std::size_t> index;
  bool waits = false;
  pipeline::list_outcome next{pipeline::list_outcome::state::waiting};
  std::optional<limited_fact> waiting;
  std::optional<guarded_fact> waiting_list;
};

/// They take what they are asked.
struct quiet_upstreams final : fake_upstreams {
  allowances_ptr price(pipeline::call&) override { return prices; }
  bool crowded(std::size_t) override { return full; }
  std::uint64_t park(guarded_fact c) override {
    parked = std::move(c);
    return 7;
  }
  void ask(std::size_t index, invoke question) override {
    asked.emplace_back(index, std::move(question));
  }
  void note_result(pipeline::call&) override { ++results; }

  allowances_ptr prices;
  bool full = false;
  std::size_t results = 0;
  std::optional<guarded_fact> parked;
  std::vector<std::pair<std::size_t, invoke>> asked;
};

/// Tasks that calls ask for, and mint.
struct asked_tasks final : fake_tasks {
  void find(limited_fact c) override { waiting = std::move(c); }
  void pin(const pipeline::call&, std::string_view raw_id) override { pinned.emplace_back(raw_id); }
  std::optional<limited_fact> waiting;
  std::vector<std::string> pinned;
};

/// A request, and what is known of how it went.
class a_way : public ::testing::Test {
 protected:
  explicit a_way(const std::string& document = a_and_b)
      : snapshot(config::compile(read_document(document))), entrance(snapshot->doc) {}

  using stage = pipeline::stage;
  using refused = pipeline::refused;
  using settled = pipeline::settled;

  /// A request as it arrives.
  pipeline::arrived arrive(http_request r) {
    receipts.push_back(std::make_shared<receipt>());
    return pipeline::arrived::deliver(std::make_unique<pipeline::call>(
        std::make_shared<fake_exchange>(receipts.back(), std::move(r)), fakes.exit.exits, snapshot,
        std::chrono::steady_clock::time_point{}));
  }
  /// A POST of this message in the session `s`.
  static http_request post(std::string body, std::vector<std::string> more = {}) {
    std::vector<std::string> lines{"Host: gate.test", "Content-Type: application/json",
                                   "Accept: application/json, text/event-stream",
                                   "Mcp-Session-Id: s", "MCP-Protocol-Version: 2025-11-25"};
    lines.insert(lines.end(), more.begin(), more.end());
    return make_request(verb::post, "/mcp", lines, std::move(body));
  }
  static http_request message(const std::string& method, const std::string& params = "{}") {
    return post(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}");
  }

  pipeline::step_result<host_fact> hosted(http_request r) {
    return pipeline::host_step::run(arrive(std::move(r)), desk);
  }
  auto authenticated(http_request r) {
    return pipeline::authenticate_step::run(of<stage::host>(hosted(std::move(r))), desk);
  }
  auto limited(http_request r) {
    return pipeline::rate_limit_step::run(of<stage::authenticate>(authenticated(std::move(r))),
                                          desk);
  }
  auto routed(http_request r) {
    return pipeline::route_step::run(of<stage::rate_limit>(limited(std::move(r))), desk);
  }
  auto authorized(http_request r) {
    return pipeline::authorize_step::run(of<stage::route>(routed(std::move(r))), desk);
  }
  auto guarded(http_request r) {
    return pipeline::guard_step::run(of<stage::authorize>(authorized(std::move(r))), desk);
  }
  auto proxied(http_request r) {
    return pipeline::proxy_step::run(of<stage::guard>(guarded(std::move(r))), desk);
  }

  /// It passed this stage, or the test fails.
  template <stage S>
  static pipeline::fact<S> of(pipeline::step_result<pipeline::fact<S>> r) {
    if (const auto* no = std::get_if<refused>(&r)) ADD_FAILURE() << no->why.message;
    return std::get<pipeline::fact<S>>(std::move(r));
  }
  /// It was refused, with these words, or the test fails.
  template <stage S>
  static refusal no(pipeline::step_result<pipeline::fact<S>> r) {
    auto* it = std::get_if<refused>(&r);
    if (!it) {
      ADD_FAILURE() << "it was not refused";
      return {};
    }
    it->call->ticket.spend({});
    return it->why;
  }
  template <class Result>
  static bool waits(const Result& r) {
    return std::holds_alternative<settled>(r);
  }

  fake_desk fakes;
  snapshot_ptr snapshot;
  open_entrance entrance;
  one_session sessions;
  some_lists lists;
  quiet_upstreams upstreams;
  asked_tasks tasks;
  std::vector<receipt_ptr> receipts;
  pipeline::desk desk{
      entrance, sessions, fakes.introductions, fakes.streams, fakes.requests, fakes.suspensions,
      lists,    tasks,    upstreams,           fakes.exit,    fakes.inquiries};
};

}  // namespace gate::sim
