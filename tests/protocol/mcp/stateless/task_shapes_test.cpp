// Tasks of one generation in the words of the other.
#include "protocol/mcp/stateless/task_shapes.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::mcp::stateless {
namespace {

using namespace std::chrono_literals;

constexpr auto flat = R"({"resultType":"task","taskId":"t\/1","status":"working","x":1.0,)"
                      R"("ttlMs":6e4,"pollIntervalMs":500,"_meta":{"v":1e0}})";

TEST(the_tasks_extension, is_declared_by_its_name) {
  EXPECT_TRUE(declares_tasks(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})"));
  for (const auto* raw : {"{}", R"({"tasks":{}})", R"({"extensions":{}})", "7", "",
                          R"({"extensions":{"io.modelcontextprotocol/tasks":true}})"})
    EXPECT_FALSE(declares_tasks(raw)) << raw;
}

TEST(the_tasks_extension, is_put_in_and_taken_out) {
  EXPECT_EQ(with_tasks("{}"), R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  const auto* own = R"({"a":1.0,"extensions":{"v/x":{"n":1e0}},"b":2})";
  const auto with = with_tasks(own);
  EXPECT_EQ(with, R"({"a":1.0,"extensions":{"io.modelcontextprotocol/tasks":{},"v/x":{"n":1e0}},)"
                  R"("b":2})");
  EXPECT_EQ(with_tasks(with), with);
  EXPECT_EQ(without_tasks(with), own);
  EXPECT_EQ(without_tasks(own), own);
}

TEST(a_task, is_read_in_both_generations) {
  auto t = read_task(flat);
  EXPECT_EQ(t.id, R"("t\/1")");
  EXPECT_EQ(t.status, task_status::working);
  EXPECT_EQ(t.poll, 500ms);
  t = read_task(R"({"taskId":"t","status":"failed","pollInterval":2000,"error":{"code":1}})");
  EXPECT_EQ(t.status, task_status::failed);
  EXPECT_EQ(t.poll, 2s);
  EXPECT_EQ(t.error, R"({"code":1})");
  for (const auto* raw :
       {"{}", "[]", R"({"taskId":7})", R"({"taskId":""})", R"({"status":"working"})"})
    EXPECT_EQ(read_task(raw).id, "") << raw;
  EXPECT_EQ(read_task(R"({"taskId":")" + std::string(limits::name_bytes, 'x') + R"("})").id, "");
}

TEST(a_task, is_looked_at_in_reason_whatever_it_says) {
  const auto pause = [](std::string_view raw) {
    return read_task(R"({"taskId":"t","pollIntervalMs":)" + std::string(raw) + "}").poll;
  };
  EXPECT_EQ(pause("0"), limits::task_poll_least);
  EXPECT_EQ(pause("-5"), limits::task_poll_least);
  EXPECT_EQ(pause("1e30"), limits::task_poll_most);
  EXPECT_EQ(pause("300.5"), 300ms);
  for (const auto* odd : {R"("fast")", "null", "{}", "1e999"})
    EXPECT_EQ(pause(odd), limits::task_poll) << odd;
  EXPECT_EQ(read_task(R"({"taskId":"t"})").poll, limits::task_poll);
}

TEST(a_task_of_the_extension, is_told_to_session_clients) {
  EXPECT_EQ(created_for_sessions(flat),
            R"({"task":{"taskId":"t\/1","status":"working","x":1.0,"ttl":6e4,"pollInterval":500},)"
            R"("_meta":{"v":1e0}})");
  EXPECT_EQ(for_sessions(R"({"resultType":"complete","taskId":"t","status":"input_required",)"
                         R"("ttlMs":null,"inputRequests":{"k":{}},"y":1.0})"),
            R"({"taskId":"t","status":"input_required","ttl":null,"y":1.0})");
  EXPECT_EQ(for_sessions(R"({"resultType":"complete","taskId":"t","status":"completed",)"
                         R"("result":{"content":[]}})"),
            R"({"taskId":"t","status":"completed"})");
  EXPECT_EQ(for_sessions(R"({"taskId":"t","status":"completed","result":{"isError":true}})"),
            R"({"status":"failed","taskId":"t"})");
}

TEST(a_task_of_the_extension, has_a_result_that_says_whose_it_is) {
  EXPECT_EQ(result_for_sessions(R"({"resultType":"complete","content":[1.0]})", R"("t")"),
            R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}},"content":[1.0]})");
  EXPECT_EQ(result_for_sessions(R"({"content":[],"_meta":{"v":1.0}})", R"("t")"),
            R"({"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"},)"
            R"("v":1.0}})");
  const auto* own = R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"u"}}})";
  EXPECT_EQ(result_for_sessions(own, R"("t")"), own);
}

TEST(a_task_of_the_session_generation, is_told_to_stateless_clients) {
  const auto* result = R"({"_meta":{"outer":1},"z":1.0,"task":{"taskId":"t","status":"working",)"
                       R"("ttl":60000,"pollInterval":5e2,"_meta":{"inner":2}}})";
  EXPECT_EQ(created_task(result), R"({"taskId":"t","status":"working","ttl":60000,)"
                                  R"("pollInterval":5e2,"_meta":{"inner":2}})");
  EXPECT_EQ(created_for_stateless(result),
            R"({"resultType":"task","taskId":"t","status":"working","ttlMs":60000,)"
            R"("pollIntervalMs":5e2,"_meta":{"inner":2},"z":1.0})");
  for (const auto* no : {"{}", R"({"task":7})", R"({"task":{}})", R"({"task":{"taskId":1}})"})
    EXPECT_EQ(created_task(no), "") << no;
}

TEST(a_task_of_the_session_generation, is_shown_with_what_it_has_come_to) {
  const auto* task = R"({"taskId":"t","status":"failed","ttl":1,"x":1.0})";
  EXPECT_EQ(for_stateless(task, {}, {}),
            R"({"resultType":"complete","taskId":"t","status":"failed","ttlMs":1,"x":1.0})");
  EXPECT_EQ(for_stateless(task, R"("result":{"isError":true})", "completed"),
            R"({"resultType":"complete","status":"completed","result":{"isError":true},)"
            R"("taskId":"t","ttlMs":1,"x":1.0})");
}

TEST(a_call_that_was_answered_at_once, is_a_task_that_has_ended) {
  EXPECT_EQ(ended_task(R"("g")", true, "2026-11-23T00:00:00Z", 10min),
            R"({"taskId":"g","status":"failed","createdAt":"2026-11-23T00:00:00Z",)"
            R"("lastUpdatedAt":"2026-11-23T00:00:00Z","ttl":600000})");
}

}  // namespace
}  // namespace gate::mcp::stateless
