#include "actors/router/server_requests.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct a_server_request : sim::router_stage {
  sessions::session_ptr s = open(R"({"roots":{},"sampling":{}})");
  sim::receipt_ptr stream = listen(s);

  void ask(const std::string& id, std::string_view method, std::uint64_t call = 0,
           std::size_t upstream = 0) {
    server_request m;
    m.call = call;
    m.upstream = upstream;
    m.client = s->key;
    m.session = 7;
    m.text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + std::string(method) + "\"}";
    m.id = id;
    m.id_offset = m.text.find(id, 15);
    it.requests.on_server_request(m);
  }
  std::vector<client_reply> replies() {
    std::vector<client_reply> out;
    for (auto& [upstream, m] : doors.take<client_reply>()) out.push_back(std::move(m));
    return out;
  }
};

TEST_F(a_server_request, gets_a_number_of_ours_and_its_own_back) {
  ask(R"("x")", "roots/list");
  ASSERT_EQ(stream->events().size(), 1U);
  EXPECT_EQ(stream->events().back(), R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})");
  const auto r = post(s->id, R"({"jsonrpc":"2.0","id":1,"result":{"roots":[]}})");
  EXPECT_EQ(r->status, 202);
  const auto all = replies();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, R"("x")");
  EXPECT_EQ(all[0].session, 7U);
  EXPECT_EQ(all[0].payload, R"({"roots":[]})");
  EXPECT_FALSE(all[0].failed);
}

TEST_F(a_server_request, that_the_client_does_not_take_is_answered_for_it) {
  ask("1", "elicitation/create");
  EXPECT_TRUE(stream->events().empty());
  const auto all = replies();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].failed);
}

TEST_F(a_server_request, is_one_of_a_bounded_number) {
  for (std::size_t i = 0; i <= limits::session_questions; ++i)
    ask(std::to_string(100 + i), "roots/list");
  EXPECT_EQ(stream->events().size(), limits::session_questions);
  EXPECT_EQ(replies().size(), 1U) << "too many wait";
  ask("900", "roots/list", 0, 1);
  EXPECT_EQ(stream->events().size(), limits::session_questions + 1) << "another upstream's";
  pass(limits::question);
  ask("901", "roots/list");
  EXPECT_EQ(stream->events().size(), limits::session_questions + 2) << "old ones are given up";
  EXPECT_EQ(replies().size(), limits::session_questions);
}

TEST_F(a_server_request, ends_with_the_call_that_it_was_asked_in) {
  const auto r =
      post(s->id, R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a__x"}})");
  const auto call = doors.calls.back().second.call;
  ask("1", "roots/list", call);
  EXPECT_EQ(r->events().size(), 1U) << "on the call's own stream";
  answer("{}");
  const auto all = replies();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].failed);
  EXPECT_TRUE(r->stream_ended);
  ask("2", "roots/list", call);
  EXPECT_EQ(replies().size(), 1U) << "the call has ended";
}

TEST_F(a_server_request, that_is_withdrawn_is_cancelled) {
  ask("9", "roots/list");
  server_request_cancelled m;
  m.client = s->key;
  m.session = 7;
  m.id = "9";
  m.reason = R"("enough")";
  it.requests.on_server_request_cancelled(m);
  EXPECT_EQ(stream->events().back(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,)"
            R"("reason":"enough"}})");
  EXPECT_EQ(post(s->id, R"({"jsonrpc":"2.0","id":1,"result":{}})")->status, 202);
  EXPECT_TRUE(replies().empty()) << "nobody asks any more";
}

}  // namespace
}  // namespace gate::routing
