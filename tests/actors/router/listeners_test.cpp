#include "actors/router/listeners.hpp"

#include "protocol/json/scan.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

/// Two servers with a resource each, whose clients have no sessions.
struct listeners_of_a_unit : sim::router_stage {
  listeners_of_a_unit() { open(); }

  sim::receipt_ptr listen(std::string_view raw_uris = R"(["u:1"])") {
    auto r = arrive(
        verb::post,
        {"Content-Type: application/json", "Accept: application/json, text/event-stream",
         "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"},
        R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":)"
        R"({"resourceSubscriptions":)" +
            std::string(raw_uris) +
            R"(},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},)"
            R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    for (auto& [upstream, wanted] : doors.take<fetch_list>())
      this->list(upstream, wanted, {upstream == 0 ? "u:1" : "u:2"});
    return r;
  }
  /// What a server is asked to tell of; the client for whom.
  std::vector<subscribe_again> asked() {
    std::vector<subscribe_again> out;
    for (auto& [upstream, m] : doors.take<subscribe_again>()) out.push_back(std::move(m));
    if (!out.empty()) caller = out.back().client;
    return out;
  }
  void say(bool agreed, std::size_t upstream = 0) {
    it.listening.on_subscribed({upstream, caller, upstream == 0 ? R"("u:1")" : R"("u:2")", agreed});
  }
  void update(std::size_t upstream, const std::string& uri) {
    client_notification m{
        caller, upstream,
        jsonrpc::request({}, "notifications/resources/updated", R"({"uri":")" + uri + R"("})"),
        '"' + uri + '"', 0};
    it.calls.on_client_notification(m);
  }
  void leave(const sim::receipt_ptr& r) {
    r->alive = false;
    it.on_client_gone(r->number);
  }
  static std::string honoured(const sim::receipt_ptr& r) {
    if (r->events().empty()) return "nothing yet";
    return std::string(
        json::member(json::member(json::member(r->events()[0], "params"), "notifications"),
                     "resourceSubscriptions"));
  }
  std::uint64_t caller = 0;
};

TEST_F(listeners_of_a_unit, are_acknowledged_when_the_server_has_agreed) {
  const auto r = listen();
  const auto all = asked();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].awaited, std::vector<std::string>{R"("u:1")"});
  EXPECT_EQ(honoured(r), "nothing yet");
  say(true);
  EXPECT_EQ(honoured(r), R"(["u:1"])");
  update(0, "u:1");
  EXPECT_EQ(r->events().size(), 2U);
  update(1, "u:1");
  update(0, "u:2");
  EXPECT_EQ(r->events().size(), 2U) << "another server's, another resource";
}

TEST_F(listeners_of_a_unit, hear_what_was_updated_meanwhile_behind_that) {
  const auto r = listen();
  asked();
  update(0, "u:1");
  EXPECT_TRUE(r->events().empty());
  say(true);
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_NE(r->events()[1].find("resources/updated"), std::string::npos);
}

TEST_F(listeners_of_a_unit, do_without_what_a_server_does_not_agree_to) {
  const auto r = listen(R"(["u:1","u:2"])");
  ASSERT_EQ(asked().size(), 2U);
  say(false, 0);
  EXPECT_EQ(honoured(r), "nothing yet") << "the other has not spoken";
  say(true, 1);
  EXPECT_EQ(honoured(r), R"(["u:2"])");
}

TEST_F(listeners_of_a_unit, are_acknowledged_without_it_in_time) {
  const auto r = listen();
  asked();
  const auto patience = it.shared().snapshot->at(0)->request + std::chrono::seconds(1);
  pass(patience - std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  EXPECT_EQ(honoured(r), "nothing yet");
  pass(std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(honoured(r) == "" || honoured(r) == "[]") << honoured(r);
  EXPECT_EQ(doors.take<unsubscribe>().size(), 1U) << "nobody wants it any more";
  say(true);
  EXPECT_EQ(doors.take<unsubscribe>().size(), 1U) << "and it is told again, if it agrees late";
  EXPECT_EQ(r->events().size(), 1U);
}

TEST_F(listeners_of_a_unit, share_what_their_caller_has) {
  const auto first = listen();
  ASSERT_EQ(asked().size(), 1U);
  const auto second = listen();
  EXPECT_TRUE(asked().empty()) << "it is asked for already";
  EXPECT_EQ(honoured(second), "nothing yet");
  say(true);
  EXPECT_EQ(honoured(second), R"(["u:1"])");
  const auto third = listen();
  EXPECT_EQ(honoured(third), R"(["u:1"])") << "at once";
  leave(first);
  leave(third);
  EXPECT_TRUE(doors.take<unsubscribe>().empty());
  update(0, "u:1");
  EXPECT_EQ(second->events().size(), 2U);
  EXPECT_EQ(first->events().size(), 1U);
  leave(second);
  const auto left = doors.take<unsubscribe>();
  ASSERT_EQ(left.size(), 1U) << "the last that wants it has left";
  EXPECT_EQ(left[0].second.uris, std::vector<std::string>{R"("u:1")"});
  const auto c = it.shared().sessions.find_key(caller);
  ASSERT_TRUE(c);
  EXPECT_TRUE(c->subscriptions.empty());
  EXPECT_TRUE(c->visits->listeners.empty() && c->visits->wanted.empty() &&
              c->visits->unanswered.empty());
}

TEST_F(listeners_of_a_unit, whose_client_leaves_before_the_answer_have_it_taken_back) {
  const auto r = listen();
  asked();
  leave(r);
  EXPECT_EQ(doors.take<unsubscribe>().size(), 1U);
  say(true);
  EXPECT_EQ(doors.take<unsubscribe>().size(), 1U);
  say(false);
  EXPECT_TRUE(doors.take<unsubscribe>().empty());
}

TEST_F(listeners_of_a_unit, ignore_words_about_nothing) {
  const auto r = listen();
  asked();
  const auto known = caller;
  it.listening.on_subscribed({0, known + 100, R"("u:1")", true});
  it.listening.on_subscribed({9, known, R"("u:1")", true});
  it.listening.on_subscribed({0, known, "nonsense", true});
  it.listening.on_subscribed({1, known, R"("u:1")", true});
  EXPECT_EQ(honoured(r), "nothing yet");
}

TEST_F(listeners_of_a_unit, lose_what_a_reload_takes_away) {
  const auto r = listen(R"(["u:1","u:2"])");
  asked();
  say(true, 0);
  say(true, 1);
  reload(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
  const auto n = r->events().size();
  update(0, "u:1");
  EXPECT_EQ(r->events().size(), n);
  update(1, "u:2");
  EXPECT_EQ(r->events().size(), n + 1);
}

}  // namespace
}  // namespace gate::routing
