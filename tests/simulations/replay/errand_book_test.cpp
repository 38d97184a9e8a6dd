#include "simulations/replay/errand_book.hpp"

#include <gtest/gtest.h>

#include "simulations/replay/json_walk.hpp"
#include "simulations/replay/retelling.hpp"

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;

event fetch_of(std::uint64_t number, std::string body, std::uint64_t unit = 0,
               std::string session = {}) {
  event e;
  e.what = kind::fetch;
  e.unit = unit;
  e.number = number;
  e.method = "POST";
  e.url = "http://a.test/mcp";
  e.body = std::move(body);
  if (!session.empty()) e.headers = {{"Mcp-Session-Id", std::move(session)}};
  return e;
}

tape taped(event_list events) {
  return order({}, std::move(events), recording::ending::shutdown);
}

constexpr std::string_view url = "http://a.test:80/mcp";
std::string call(std::string_view id, std::string_view name) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":")" + std::string(name) + R"("}})";
}

TEST(errand_book, ids_do_not_count_and_the_first_goes_first) {
  const auto t = taped({fetch_of(1, call("1", "x")), fetch_of(2, call("2", "x"))});
  errand_book book(t);
  const auto ask = [&](std::string_view body) { return book.take({0, "POST", url, "", body}); };
  const auto body = call("77", "x");
  EXPECT_EQ(ask(body).errand, 0U);
  EXPECT_EQ(book.left(), std::vector<std::size_t>{1});
  EXPECT_EQ(ask(body).errand, 1U);
  const auto again = ask(body);
  EXPECT_EQ(again.how, likeness::again);
  EXPECT_EQ(again.errand, 1U);
}

TEST(errand_book, of_what_reports_nothing_is_compared) {
  recording::preamble head;
  head.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],)"
                R"("audit":{"sinks":[{"type":"stdout"},)"
                R"({"type":"webhook","url":"https://sink.test/in?a=1"}]},)"
                R"("tracing":{"otlpEndpoint":"http://collector.test:4318"}})";
  auto to = [](std::string where, std::string body) {
    auto e = fetch_of(1, std::move(body));
    e.url = std::move(where);
    return e;
  };
  const auto t = order(head,
                       {to("https://sink.test/in?a=1", R"([{"time":"1"}])"),
                        to("http://collector.test:4318/v1/traces", "{}"), fetch_of(1, "{}")},
                       recording::ending::shutdown);
  errand_book book(t);
  EXPECT_TRUE(book.reports_to("https://sink.test:443/in?a=1"));
  EXPECT_TRUE(book.reports_to("http://collector.test:4318/v1/traces"));
  EXPECT_FALSE(book.reports_to("http://a.test/mcp"));
  EXPECT_FALSE(book.reports_to("https://sink.test/"));
  const auto found = book.take({0, "POST", "https://sink.test/in?a=1", "", R"([{"time":"2"}])"});
  EXPECT_EQ(found.how, likeness::same);
  EXPECT_EQ(found.errand, 0U);
  EXPECT_EQ(book.left(), std::vector<std::size_t>{2}) << "the collector was told nothing";
}

TEST(errand_book, one_of_the_same_unit_goes_first) {
  const auto t = taped({fetch_of(1, call("1", "x"), 0), fetch_of(1, call("1", "x"), 1)});
  errand_book book(t);
  const auto body = call("5", "x");
  EXPECT_EQ(book.take({1, "POST", url, "", body}).errand, 1U);
  EXPECT_EQ(book.take({1, "POST", url, "", body}).errand, 0U);
}

TEST(errand_book, where_the_traffic_has_changed_the_nearest_is_taken) {
  event_list all;
  for (const std::uint64_t at : {10, 50, 52, 90}) all.push_back(fetch_of(at, call("1", "x")));
  for (auto& e : all) e.at = e.number;
  all.push_back(fetch_of(1, call("1", "x"), 1));
  all.back().at = 95;
  const auto t = taped(std::move(all));
  const auto body = call("5", "x");
  errand_book book(t);
  const auto taken = [&](std::optional<std::uint64_t> at, std::uint64_t unit = 0) {
    return book.take({unit, "POST", url, "", body, at}).errand;
  };
  EXPECT_EQ(taken(51), 1U) << "of two that are as near, the earlier";
  EXPECT_EQ(taken(51), 2U);
  EXPECT_EQ(taken(94), 3U) << "another unit's is another's";
  EXPECT_EQ(taken(94), 0U);
  EXPECT_EQ(taken(94), 4U) << "if there is no other";
  EXPECT_EQ(book.take({0, "POST", url, "", body, 5}).how, likeness::again);
}

/// Each is found at once: to look through those that wait would take minutes here.
TEST(errand_book, of_very_many_that_say_the_same_each_is_found) {
  constexpr std::uint64_t many = 200'000;
  event_list all;
  for (std::uint64_t n = 0; n < many; ++n) {
    all.push_back(fetch_of(n, call("1", "x"), n < many / 2 ? 0 : 1));
    all.back().at = n;
  }
  const auto t = taped(std::move(all));
  errand_book book(t);
  const auto body = call("5", "x");
  for (std::uint64_t n = many / 2; n-- > 0;) {
    ASSERT_EQ(book.take({1, "POST", url, "", body, many / 2 + n}).errand, many / 2 + n);
    ASSERT_EQ(book.take({0, "POST", url, "", body, n}).errand, n);
  }
  EXPECT_TRUE(book.left().empty());
}

TEST(errand_book, another_session_is_alike_only) {
  const auto t = taped({fetch_of(1, call("1", "x"), 0, "s1")});
  errand_book book(t);
  const auto body = call("5", "x");
  EXPECT_EQ(book.take({0, "POST", url, "s2", body}).how, likeness::alike);
  EXPECT_EQ(book.take({0, "POST", url, "s1", body}).how, likeness::same);
}

TEST(errand_book, what_is_unlike_all_is_unheard_or_nowhere) {
  const auto t = taped({fetch_of(1, call("1", "x"))});
  errand_book book(t);
  const auto body = call("5", "y");
  EXPECT_EQ(book.take({0, "POST", url, "", body}).how, likeness::unheard);
  EXPECT_EQ(book.take({0, "POST", "http://b.test/mcp", "", body}).how, likeness::nowhere);
}

TEST(errand_book, forms_are_the_same_but_for_what_is_secret) {
  EXPECT_EQ(words_of("grant_type=x&assertion=one&scope=a"),
            words_of("grant_type=x&assertion=two&scope=a"));
  EXPECT_NE(words_of("grant_type=x&assertion=one&scope=a"),
            words_of("grant_type=x&assertion=one&scope=b"));
  EXPECT_EQ(words_of("no form"), "no form");
}

TEST(errand_book, what_the_gateway_draws_does_not_count_wherever_it_stands) {
  const auto drawn = [](std::string_view id, std::string_view token, std::string_view trace) {
    return R"({"method":"tools/call","id":)" + std::string(id) +
           R"(,"params":{"_meta":{"progressToken":)" + std::string(token) + R"(,"x":7},)" +
           R"("arguments":{"id":5)" +
           (trace.empty() ? "" : R"(,"traceparent":)" + std::string(trace)) + "}}}";
  };
  EXPECT_EQ(words_of(drawn("1", "2", "")), drawn("0", "0", ""));
  EXPECT_EQ(words_of(drawn(R"("a")", R"("b")", "")), drawn("0", "0", ""));
  EXPECT_EQ(words_of(drawn("1", "2", R"("00-a")")), drawn("0", "0", "0"));
  EXPECT_EQ(words_of(R"({"method":"n","params":{"requestId":7,"progressToken":"t"}})"),
            R"({"method":"n","params":{"requestId":0,"progressToken":0}})");
  EXPECT_EQ(words_of(R"({"method":"n","id":{"id":1}})"), R"({"method":"n","id":{"id":1}})")
      << "no id, and none is in it";
  EXPECT_EQ(words_of(R"([{"method":"n","id":1}])"), R"([{"method":"n","id":1}])");
  EXPECT_EQ(words_of(R"({"method":"n","id":1)"), R"({"method":"n","id":1)") << "no JSON";
}

TEST(json_walk, may_have_a_member_however_it_is_spelled) {
  EXPECT_TRUE(may_have(R"({"keys":1})", "keys"));
  EXPECT_TRUE(may_have(R"({"k\u0065ys":1})", "keys"));
  EXPECT_FALSE(may_have(R"({"key":"\n"})", "keys"));
}

TEST(json_walk, parts_are_replaced_in_any_order) {
  const std::string_view text = "one two three";
  patched p(text);
  p.put(text.substr(8), "3");
  p.put(text.substr(0, 3), "");
  p.put({}, "nowhere");
  EXPECT_EQ(p.text(), " two 3");
  EXPECT_EQ(patched("").text(), "");
}

TEST(errand_book, answers_keep_the_id_that_the_server_chose) {
  EXPECT_NE(words_of(R"({"id":1,"result":{}})"), words_of(R"({"id":2,"result":{}})"));
  EXPECT_EQ(subject_of("POST", R"({"id":1,"result":{}})"), "response");
  EXPECT_EQ(subject_of("GET", ""), "GET");
  EXPECT_EQ(subject_of("POST", call("1", "x")), "tools/call \"x\"");
}

TEST(retelling, ids_and_progress_tokens_are_those_of_our_request) {
  const auto ids = ids_of(R"({"id":1,"params":{"_meta":{"progressToken":"p"}}})",
                          R"({"id":9,"params":{"_meta":{"progressToken":"q"}}})");
  EXPECT_EQ(retold(R"({"id":1,"result":{"id":1}})", ids), R"({"id":9,"result":{"id":1}})");
  EXPECT_EQ(retold(R"({"id":2,"result":{}})", ids), R"({"id":2,"result":{}})");
  EXPECT_EQ(retold(R"({"method":"notifications/progress","params":{"progressToken":"p"}})", ids),
            R"({"method":"notifications/progress","params":{"progressToken":"q"}})");
  EXPECT_EQ(retold(R"({"id":1,"method":"sampling/createMessage"})", ids),
            R"({"id":1,"method":"sampling/createMessage"})");
  EXPECT_EQ(retold("no json", ids), "no json");
}

}  // namespace
}  // namespace gate::replay
