#include "actors/router/inquiries.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct inquiries_of_viewers : sim::router_stage {
  inquiries_of_viewers()
      : router_stage(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}],
          "server":{"introspection":{"enabled":true},
                    "rateLimit":{"requestsPerMinute":60}}})") {
    doors.limiter = false;  // nobody meters
  }

  sim::receipt_ptr get(std::string_view path, std::vector<std::string> lines = {}) {
    return arrive(verb::get, lines, {}, path);
  }
  sim::receipt_ptr follow() { return get("/api/activity", {"Accept: text/event-stream"}); }
  inquiries& all() { return it.beside.of_viewers(); }
  std::uint64_t latest() { return doors.inquired.back().first; }
  template <class Question>
  std::size_t asked() {
    return static_cast<std::size_t>(std::ranges::count_if(
        doors.inquired, [](const auto& q) { return std::holds_alternative<Question>(q.second); }));
  }
  /// Everybody who was asked how much is used says nothing of it.
  void answer_usage() {
    for (const auto& [number, q] : std::vector(doors.inquired))
      if (const auto* usage = std::get_if<usage_question>(&q))
        all().on(number, usage_answer{usage->of_requests, {}});
  }
  static auto text(std::string_view what) { return std::make_shared<const std::string>(what); }
  std::size_t waiting() { return it.shared().calls.count(pipeline::partner::inquiry); }
};

TEST_F(inquiries_of_viewers, gather_what_is_used_before_they_ask_for_the_federation) {
  const auto r = get("/api/federation");
  ASSERT_GT(asked<usage_question>(), 0U);
  EXPECT_EQ(asked<ask_federation>(), 0U);
  answer_usage();
  ASSERT_EQ(asked<ask_federation>(), 1U);
  EXPECT_EQ(r->endings, 0);
  answer_usage();
  EXPECT_EQ(asked<ask_federation>(), 1U) << "what comes again is nobody's";
  all().on(latest(), federation_text{text(R"({"x":1})")});
  EXPECT_EQ(r->body, R"({"x":1})");
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(inquiries_of_viewers, show_a_page_of_what_happened) {
  const auto r = get("/api/activity");
  ASSERT_EQ(asked<read_activity>(), 1U);
  all().on(latest(), activity_page{text("[]")});
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->body, "[]");
  const auto none = get("/api/activity");
  all().on(latest(), no_text{});
  EXPECT_EQ(none->status, 503);
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(inquiries_of_viewers, explain_when_all_have_spoken) {
  const auto r = get("/api/explain?method=tools/call&name=a__x");
  for (auto& [upstream, wanted] : doors.take<fetch_list>()) list(upstream, wanted, {"x"});
  ASSERT_EQ(asked<circuit_question>(), 1U);
  const auto number = latest();
  answer_usage();
  EXPECT_EQ(r->endings, 0) << "the circuit is not known yet";
  all().on(number, no_circuit{});
  EXPECT_EQ(r->status, 200) << r->body;
  EXPECT_EQ(json::member(r->body, "upstream"), R"("a")") << r->body;
  EXPECT_EQ(waiting(), 0U);
  EXPECT_TRUE(doors.calls.empty()) << "nobody works for it";
}

TEST_F(inquiries_of_viewers, explain_what_would_be_refused_as_that) {
  const auto r = get("/api/explain?method=tools/call&name=none");
  for (auto& [upstream, wanted] : doors.take<fetch_list>()) list(upstream, wanted, {"x"});
  EXPECT_EQ(r->status, 200) << r->body;
  EXPECT_EQ(asked<circuit_question>(), 0U);
  EXPECT_EQ(get("/api/explain?method=tools/call")->status, 400) << "the query is wrong";
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(inquiries_of_viewers, stream_what_happens) {
  const auto r = follow();
  EXPECT_EQ(r->endings, 0);
  const auto number = latest();
  all().on_told({number, text("data: 1\n\n")});
  all().on_told({number, text("data: 2\n\n")});
  EXPECT_EQ(r->events(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(all().streams(), 1U);
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(inquiries_of_viewers, are_told_when_too_many_streams_are_open) {
  const auto r = follow();
  all().on_told({latest(), nullptr});
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(all().streams(), 0U);
}

TEST_F(inquiries_of_viewers, end_streams_as_they_must) {
  struct row {
    std::string_view what, says;
    std::function<void(sim::receipt&, std::uint64_t)> end;
    bool told = true;  ///< ACTIVITY is told
  };
  for (const auto& x : {
           row{"too slow", "slow",
               [&](auto&r, auto number) {
                 r.queued = limits::stream_queue_bytes + 1;
                 all().on_told({number, text("data: 2\n\n")});
               }},
           row{"cut off", "",
               [&](auto&r, auto number) {
                 r.room = 1;
                 all().on_told({number, text("data: 2\n\n")});
               }},
           row{"its viewer left", "",
               [&](auto&r, auto) {
                 r.alive = false;
                 it.on_client_gone(r.number);
               }},
           row{"found gone", "",
               [&](auto&r, auto) {
                 r.alive = false;
                 it.on_timer(timer::upkeep);
               }},
           row{"ACTIVITY died", "restarted", [&](auto&, auto) { all().lost_activity(); }},
           row{"this process ends", "shutdown", [&](auto&, auto) { it.wind_down(); }},
       }) {
    const auto r = follow();
    const auto number = latest();
    all().on_told({number, text("data: 1\n\n")});
    ASSERT_EQ(all().streams(), 1U) << x.what;
    x.end(*r, number);
    EXPECT_EQ(all().streams(), 0U) << x.what;
    const auto* left = std::get_if<unfollow_activity>(&doors.inquired.back().second);
    ASSERT_TRUE(left) << x.what;
    EXPECT_EQ(left->number, number) << x.what;
    EXPECT_EQ(r->stream.find("event: end") != std::string::npos, !x.says.empty()) << x.what;
    EXPECT_NE(r->stream.find(x.says), std::string::npos) << x.what << r->stream;
  }
}

TEST_F(inquiries_of_viewers, that_wait_for_an_activity_that_died_are_refused_if_nobody_tells) {
  const auto stream = follow(), page = get("/api/activity");
  all().lost_activity();
  EXPECT_EQ(stream->status, 503);
  EXPECT_EQ(page->endings, 0) << "the question comes back";
}

TEST_F(inquiries_of_viewers, keep_streams_alive) {
  const auto r = follow();
  all().on_told({latest(), text("data: 1\n\n")});
  const auto size = r->stream.size();
  const auto every = it.shared().snapshot->doc.server.keep_alive;
  pass(every - std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  EXPECT_EQ(r->stream.size(), size);
  pass(std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  EXPECT_GT(r->stream.size(), size);
}

TEST_F(inquiries_of_viewers, leave_nothing_when_this_router_dies) {
  const auto r = follow();
  all().on_told({latest(), text("data: 1\n\n")});
  it.clear();
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(all().streams(), 0U);
}

TEST_F(inquiries_of_viewers, whose_client_left_ask_nobody_further) {
  get("/api/federation");
  for (const auto number : it.shared().calls.all()) it.shared().calls.end(number);
  answer_usage();
  EXPECT_EQ(asked<ask_federation>(), 0U);
}

}  // namespace
}  // namespace gate::routing
