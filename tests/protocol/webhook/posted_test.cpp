#include "protocol/webhook/posted.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {
namespace {

const wall_time posting{std::chrono::milliseconds{1'700'000'000'123}};  // 2023-11-14T22:13:20.123Z

std::string said_of_posted(std::string_view body) {
  const auto read = read_events(body, posting);
  if (read) return {};
  EXPECT_EQ(read.error().code, error_code::validation);
  EXPECT_EQ(read.error().in, locus::pointer);
  return read.error().where + ": " + read.error().error;
}

TEST(a_posted_event, keeps_its_data_byte_for_byte) {
  for (const std::string data :
       {"{}", "[]", "null", "true", "-0.0e+10", "\"\"", "123456789012345678901234567890.10",
        R"({ "b" : 1,  "a":[ 1 , 2 ], "a":"\u00e9\/é\ud800" })", "{\n\t\"x\":\r\n1}"}) {
    const auto read =
        read_events(R"({"data" : )" + data + R"( , "type":"deploy.failed" })", posting);
    ASSERT_TRUE(read) << data << read.error().error;
    EXPECT_FALSE(read->several);
    ASSERT_EQ(read->events.size(), 1U);
    const auto& one = read->events.front();
    EXPECT_EQ(one.type, event_type::deploy_failed);
    EXPECT_EQ(one.at, posting);
    EXPECT_FALSE(one.timed);
    EXPECT_EQ(
        one.body,
        R"({"type":"deploy.failed","timestamp":"2023-11-14T22:13:20.123Z","data":)" + data + '}');
  }
}

TEST(a_posted_event, may_say_when) {
  const auto read = read_events(
      R"({"type":"usage.threshold","timestamp":"2026-11-21T10:30:00.5+01:00","data":{"n":1}})",
      posting);
  ASSERT_TRUE(read) << read.error().error;
  const auto& one = read->events.front();
  EXPECT_TRUE(one.timed);
  EXPECT_EQ(one.body,
            R"({"type":"usage.threshold","timestamp":"2026-11-21T09:30:00.500Z","data":{"n":1}})");
  EXPECT_EQ(one.at, std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} +
                        std::chrono::milliseconds{(9 * 3600 + 30 * 60) * 1000 + 500});
}

TEST(posted_events, are_an_array_in_its_order) {
  auto read = read_events(
      R"([{"type":"deploy.failed","data":1} , {"type":"deploy.success","data":[2]}])", posting);
  ASSERT_TRUE(read) << read.error().error;
  EXPECT_TRUE(read->several);
  ASSERT_EQ(read->events.size(), 2U);
  EXPECT_EQ(read->events[0].type, event_type::deploy_failed);
  EXPECT_EQ(read->events[1].type, event_type::deploy_success);
  EXPECT_TRUE(read->events[1].body.ends_with(R"("data":[2]})"));
  read = read_events(R"([{"type":"deploy.failed","data":1}])", posting);
  EXPECT_TRUE(read->several);
}

TEST(posted_events, are_so_many_at_the_most) {
  std::string body = "[";
  for (std::size_t i = 0; i < limits::webhook_batch; ++i)
    body += R"({"type":"deploy.failed","data":1},)";
  const auto most = body.substr(0, body.size() - 1) + ']';
  EXPECT_EQ(read_events(most, posting)->events.size(), limits::webhook_batch);
  EXPECT_EQ(said_of_posted(body + R"({"type":"deploy.failed","data":1}])"),
            ": there are more than 1000 events in the body");
  EXPECT_EQ(said_of_posted("[]"), ": there is no event in the body");
}

TEST(posted_events, are_refused_by_their_place) {
  const std::pair<std::string, std::string> table[] = {
      {"7", ": the body must be an object"},
      {"{}", "/type: the field /type is missing"},
      {R"({"type":"deploy.failed"})", "/data: the field /data is missing"},
      {R"({"data":1})", "/type: the field /type is missing"},
      {R"({"type":"deploy","data":1})", "/type: the field /type is no event"},
      {R"({"type":"*","data":1})", "/type: the field /type is no event"},
      {R"({"type":7,"data":1})", "/type: the field /type must be a string"},
      {R"({"type":null,"data":1})", "/type: the field /type must be a string"},
      {R"({"type":")" + std::string(101, 'x') + R"(","data":1})",
       "/type: the field /type is longer than 100 bytes"},
      {R"({"type":"deploy.failed","timestamp":"soon","data":1})",
       "/timestamp: the field /timestamp is not a time of RFC 3339"},
      {R"({"type":"deploy.failed","timestamp":"1969-01-01T00:00:00Z","data":1})",
       "/timestamp: the field /timestamp is not a time of RFC 3339"},
      {R"({"type":"deploy.failed","timestamp":1700000000,"data":1})",
       "/timestamp: the field /timestamp must be a string"},
      {R"({"type":"deploy.failed","timestamp":null,"data":1})",
       "/timestamp: the field /timestamp must be a string"},
      {R"({"type":"deploy.failed","data":1,"data":2})", "/data: the field /data is there twice"},
      {R"({"type":"deploy.failed","data":1,"id":"x"})", "/id: there is no field /id"},
      {R"([{"type":"deploy.failed","data":1},7])", "/1: the field /1 must be an object"},
      {R"([{"type":"deploy.failed","data":1},{"type":"x","data":1}])",
       "/1/type: the field /1/type is no event"},
      {R"([{"type":"deploy.failed","data":1},{"type":"deploy.failed"}])",
       "/1/data: the field /1/data is missing"},
      {R"([[{"type":"deploy.failed","data":1}]])", "/0: the field /0 must be an object"},
      {"", ": the body is malformed: JSON is malformed or cut off"},
      {R"([{"type":"deploy.failed","data":1})",
       ": the body is malformed: JSON is malformed or cut off"},
  };
  for (const auto& [body, why] : table) {
    const auto said = said_of_posted(body);
    if (why.starts_with(": the body is malformed"))
      EXPECT_TRUE(said.starts_with(": the body is malformed: ")) << body << said;
    else
      EXPECT_EQ(said, why) << body;
  }
}

TEST(a_posted_event, is_shorter_than_receivers_take) {
  const auto around = event_body(event_type::deploy_failed, posting, "").size();
  const auto of = [](std::size_t bytes) {
    return R"({"type":"deploy.failed","data":")" + std::string(bytes - 2, 'x') + "\"}";
  };
  const auto most = limits::webhook_body_bytes - 1 - around;
  EXPECT_EQ(read_events(of(most), posting)->events.front().body.size(),
            limits::webhook_body_bytes - 1);
  EXPECT_EQ(said_of_posted(of(most + 1)),
            "/data: the event is too long: delivered, it is 20000 bytes, and must be below 20000");
  EXPECT_EQ(said_of_posted('[' + of(most) + ',' + of(most + 1) + ']').substr(0, 7), "/1/data");
}

TEST(a_posted_event, is_nested_so_deep_at_the_most) {
  const auto of = [](std::size_t depth) {
    return R"({"type":"deploy.failed","data":)" + std::string(depth, '[') +
           std::string(depth, ']') + '}';
  };
  EXPECT_EQ(said_of_posted(of(limits::webhook_data_depth)), "");
  EXPECT_EQ(said_of_posted('[' + of(limits::webhook_data_depth) + ']'), "");
  EXPECT_EQ(said_of_posted(of(limits::webhook_data_depth + 1)),
            "/data: the field /data is nested deeper than 64");
}

/// As LEDGER compares what comes again.
bool same_again(std::string_view first, std::string_view second) {
  const sha256 digest;
  const auto kept = read_events(first, posting)->events.front();
  const auto again = read_events(second, posting + std::chrono::hours{1})->events.front();
  const auto fingerprint = fingerprint_of(kept, digest);
  return kept.type == again.type && fingerprint == fingerprint_of(again, digest) &&
         (!fingerprint.empty() || kept.body == again.body);
}

TEST(an_event, that_comes_again_is_known) {
  const auto* plain = R"({"type":"deploy.failed","data":{"a":1}})";
  const auto* timed =
      R"({"type":"deploy.failed","timestamp":"2026-01-01T00:00:00Z","data":{"a":1}})";
  EXPECT_TRUE(same_again(plain, plain)) << "an hour later, without a time of its own";
  EXPECT_TRUE(same_again(timed, timed));
  EXPECT_FALSE(same_again(timed, plain));
  EXPECT_FALSE(same_again(plain, timed));
  EXPECT_FALSE(same_again(plain, R"({"type":"deploy.success","data":{"a":1}})"));
  EXPECT_FALSE(same_again(plain, R"({"type":"deploy.failed","data":{"a":2}})"));
  EXPECT_FALSE(same_again(plain, R"({"type":"deploy.failed","data":{"a": 1}})"));
  EXPECT_FALSE(same_again(plain, R"({"type":"deploy.failed","data":{"a":1,"b":1}})"));
  EXPECT_FALSE(same_again(
      timed, R"({"type":"deploy.failed","timestamp":"2026-01-01T00:00:01Z","data":{"a":1}})"));
}

TEST(an_idempotency_key, is_an_id) {
  const std::string longest(limits::webhook_event_id_bytes, 'k');
  for (const std::string& good : {std::string("a"), std::string("0b6a1c1e-8d7f-4f7b-9a8e-Z_9"),
                                  std::string("evt_01ARYZ6S41TSV4RRFFQ69G5FAV"), longest})
    EXPECT_EQ(*read_idempotency_key(good), good);
  for (const std::string& bad :
       {std::string(), longest + 'k', std::string("a.b"), std::string("a b"), std::string("a\r\nb"),
        std::string("a:b"), std::string("\"a\""), std::string("\xC3\xA9"),
        std::string("a\0b", 3)}) {
    const auto read = read_idempotency_key(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().in, locus::header);
    EXPECT_EQ(read.error().where, "Idempotency-Key");
    EXPECT_EQ(read.error().error,
              "the header Idempotency-Key must be 1 to 128 letters, digits, hyphens and "
              "underscores");
  }
}

TEST(an_event_body, is_json) {
  const auto read = boost::json::parse(event_body(event_type::rollback_success, posting, "[1]"));
  EXPECT_EQ(read.as_object().size(), 3U);
  EXPECT_EQ(read.at("type"), "rollback.success");
  EXPECT_EQ(read.at("timestamp"), "2023-11-14T22:13:20.123Z");
}

}  // namespace
}  // namespace gate::webhook
