#include "simulations/replay/tape.hpp"

#include <gtest/gtest.h>

#include "simulations/replay/audit_trail.hpp"
#include "simulations/replay/clock.hpp"
#include "simulations/replay/judgement.hpp"
#include "simulations/replay/key_names.hpp"
#include "tests/simulations/support/events.hpp"
#include "tests/simulations/support/growth.hpp"

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;

event of(kind what, std::uint64_t number, std::uint64_t at = 0, std::uint64_t unit = 0) {
  return sim::testing::event_at(what, at, number, unit);
}

TEST(tape, an_answer_belongs_to_its_request) {
  auto answer = of(kind::answer, 1, 30);
  answer.status = 200;
  answer.body = "{}";
  const auto t = order({}, {of(kind::request, 1, 10), of(kind::request, 2, 20), answer}, {});
  ASSERT_EQ(t.visits.size(), 2U);
  EXPECT_EQ(t.visits[0].was.status, 200U);
  EXPECT_EQ(t.visits[0].over_at, 30U);
  EXPECT_TRUE(t.visits[0].was.over);
  EXPECT_FALSE(t.visits[1].was.over);
  EXPECT_EQ(t.whose[2], 0U);
}

TEST(tape, a_stream_is_all_that_was_sent_on_it) {
  auto one = of(kind::sent, 1), two = of(kind::sent, 1);
  one.data = "data: a";
  two.data = "b\n\n";
  const auto t =
      order({}, {of(kind::request, 1), of(kind::stream, 1), one, two, of(kind::ended, 1)}, {});
  EXPECT_TRUE(t.visits[0].was.streaming);
  EXPECT_EQ(t.visits[0].was.last(), "ab");
  EXPECT_TRUE(t.visits[0].was.over);
}

TEST(tape, what_moves_to_another_unit_stays_one_visit) {
  auto moved = of(kind::moved, 1);
  moved.to = 2;
  auto arrived = of(kind::request, 9, 5, 2);
  arrived.arrives = true;
  auto answer = of(kind::answer, 9, 7, 2);
  answer.status = 202;
  const auto t = order({}, {of(kind::request, 1), moved, arrived, answer}, {});
  ASSERT_EQ(t.visits.size(), 1U);
  EXPECT_TRUE(t.visits[0].moved);
  EXPECT_EQ(t.visits[0].was.status, 202U);
}

TEST(tape, of_several_that_move_each_arrives_as_itself) {
  const auto request = [](std::uint64_t number, std::uint64_t unit, std::string body) {
    auto e = of(kind::request, number, 0, unit);
    e.body = std::move(body);
    return e;
  };
  const auto moved = [](std::uint64_t unit) {
    auto e = of(kind::moved, 1, 0, unit);
    e.to = 2;
    return e;
  };
  auto later = of(kind::body, 1, 0, 1);
  later.body = "other";
  auto one = request(8, 2, "one"), other = request(9, 2, "other"), nobody = request(10, 2, "x");
  for (auto* e : {&one, &other, &nobody}) e->arrives = true;
  const auto t = order({},
                       {request(1, 0, "one"), of(kind::request, 1, 0, 1), later, moved(0), other,
                        of(kind::answer, 9, 0, 2), moved(1), one, nobody},
                       {});
  ASSERT_EQ(t.visits.size(), 2U);
  EXPECT_EQ(t.whose[4], 1U) << "its line is before the one that says that it left";
  EXPECT_TRUE(t.visits[1].was.over);
  EXPECT_EQ(t.whose[7], 0U);
  EXPECT_FALSE(t.visits[0].was.over);
  EXPECT_EQ(t.whose[8], nothing);
}

TEST(tape, a_body_may_come_later) {
  auto body = of(kind::body, 1);
  body.body = "later";
  const auto t = order({}, {of(kind::request, 1), body}, {});
  EXPECT_EQ(t.body_of(t.visits[0]), "later");
}

TEST(tape, fetches_have_what_they_were_told) {
  const auto t = order({},
                       {of(kind::fetch, 4), of(kind::streamed, 4), of(kind::fetched, 4),
                        of(kind::fetched, 5), of(kind::fetch, 6), of(kind::abandoned, 6)},
                       {});
  ASSERT_EQ(t.errands.size(), 2U);
  EXPECT_EQ(t.errands[0].told, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(t.errands[1].abandoned);
  EXPECT_EQ(t.whose[3], nothing);
}

TEST(tape, header_lines_are_taken_apart_whatever_stands_there) {
  const auto lines = header_lines("A: 1\r\nB:2\r\nEmpty:\r\nBlank: \r\nno colon\r\nC: cut");
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], (recording::header{"A", "1"}));
  EXPECT_EQ(lines[1], (recording::header{"B", "2"}));
  EXPECT_EQ(lines[2], (recording::header{"Empty", ""}));
  EXPECT_EQ(lines[3], (recording::header{"Blank", ""}));
  EXPECT_EQ(lines[4], (recording::header{"C", "cut"}));
  EXPECT_TRUE(header_lines("").empty());
}

TEST(replay_clock, reads_what_recordings_have) {
  using namespace std::chrono;
  const auto at = started_at("2026-11-28T06:05:00.123456Z");
  EXPECT_EQ(at, sys_days{2026y / 11 / 28} + 6h + 5min + 123456us);
  EXPECT_EQ(started_at("2026-11-28T06:05:00Z"), sys_days{2026y / 11 / 28} + 6h + 5min);
  EXPECT_EQ(started_at("2026-11-28T06:05:00.5Z"), sys_days{2026y / 11 / 28} + 6h + 5min + 500ms);
  EXPECT_EQ(started_at("yesterday"), system_clock::time_point{});
  EXPECT_EQ(started_at("2026-13-28T06:05:00Z"), system_clock::time_point{});
}

TEST(replayed_secrets, are_keys_where_something_is_signed) {
  std::set<std::string, std::less<>> names;
  add_key_names(R"({"auth":{"ema":{"signingKeyRef":"SIGNS"}},"upstreams":[)"
                R"({"auth":{"clientAuth":{"secretRef":"PROVES","type":"private_key_jwt"}}},)"
                R"({"auth":{"clientAuth":{"type":"client_secret_post","secretRef":"SAYS"}}},)"
                R"({"auth":{"strategy":"static","secretRef":"SENT"}}]})",
                names);
  EXPECT_EQ(names, (std::set<std::string, std::less<>>{"PROVES", "SIGNS"}));
  add_key_names("no JSON", names);
  EXPECT_EQ(names.size(), 2U);
}

contrasts compared(const std::vector<std::string>& recorded,
                   const std::vector<std::string>& replayed) {
  return compare_audits(recorded, replayed, [](std::string_view line) {
    std::string out(line);
    if (const auto at = out.find("old-name"); at != out.npos) out.replace(at, 8, "new-name");
    return out;
  });
}

TEST(replayed_audit, names_that_were_minted_are_those_of_the_replay) {
  EXPECT_TRUE(compared({R"({"name":"old-name"})"}, {R"({"name":"new-name"})"}).empty());
  EXPECT_EQ(compared({R"({"name":"old-name"})"}, {R"({"name":"old-nam"})"}).size(), 2U);
}

TEST(replayed_audit, moments_do_not_count_and_pairs_are_shown_together) {
  const std::string one =
      R"({"time":"1","method":"tools/call","name":"x","outcome":"ok","latencyMs":3})";
  const std::string later =
      R"({"time":"2","method":"tools/call","name":"x","outcome":"ok","latencyMs":4})";
  const std::string denied =
      R"({"time":"2","method":"tools/call","name":"x","outcome":"denied","latencyMs":4})";
  EXPECT_TRUE(compared({one}, {later}).empty());
  const auto changed = compared({one}, {denied});
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_NE(changed[0].recorded.find("ok"), std::string::npos);
  EXPECT_NE(changed[0].replayed.find("denied"), std::string::npos);
  EXPECT_EQ(compared({one, one}, {one}).size(), 1U);
  EXPECT_EQ(compared({one}, {one, one}).size(), 1U);
}

TEST(replay_outcomes, are_the_words_of_refusals) {
  told t;
  EXPECT_EQ(outcome_of(t), "unanswered");
  t.status = 200;
  t.body = R"({"result":{}})";
  EXPECT_EQ(outcome_of(t), "ok");
  t.body = R"({"error":{"code":-32042,"data":{"gate":{"reason":"policy_denied"}}}})";
  EXPECT_EQ(outcome_of(t), "policy_denied");
  t.body = R"({"error":{"code":-32000,"message":"the server's"}})";
  EXPECT_EQ(outcome_of(t), "error");
  t.body.clear();
  t.status = 401;
  EXPECT_EQ(outcome_of(t), "unauthenticated");
  t.status = 404;
  EXPECT_EQ(outcome_of(t), "HTTP 404");
  t.status = 200;
  t.streaming = true;
  EXPECT_EQ(outcome_of(t), "open");
  t.dropped = true;
  EXPECT_EQ(outcome_of(t), "dropped");
}

TEST(replay_outcomes, of_a_batch_are_those_of_its_messages) {
  told t;
  t.status = 200;
  t.body = R"([{"id":1,"result":{}},{"id":2,"result":{}}])";
  EXPECT_EQ(outcome_of(t), "ok");
  t.body = R"([{"id":1,"error":{"code":-32042,"data":{"gate":{"reason":"policy_denied"}}}},)"
           R"({"id":2,"result":{}},{"id":3,"error":{"code":1}},{"id":4,"result":{}}])";
  EXPECT_EQ(outcome_of(t), "error, ok, policy_denied");
  t.body = "[]";
  EXPECT_EQ(outcome_of(t), "ok");
  t.body = "[broken";
  EXPECT_EQ(outcome_of(t), "ok");
}

/// A call of `name` by `sub` that was refused, and is answered now.
struct asked_again {
  std::string sub, name;
  bool gone = false;
  std::string now = R"({"result":{}})";
  std::uint64_t status = 200;
};

std::vector<shift> shifts_of(const std::vector<asked_again>& all, std::vector<std::string> audit) {
  event_list events;
  played p;
  std::uint64_t number = 0;
  for (const auto& one : all) {
    ++number;
    auto request = of(kind::request, number, number);
    request.method = "POST";
    request.target = "/mcp";
    request.body =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + one.name + R"("}})";
    request.token = R"({"claims":{"iss":"i","sub":")" + one.sub + R"("}})";
    auto answer = of(kind::answer, number, number);
    answer.status = 429;
    events.push_back(request);
    if (!one.gone) events.push_back(answer);
    auto& v = p.visits.emplace_back();
    v.now.status = one.status;
    v.now.body = one.now;
    v.compared = !one.gone;
  }
  p.audit = std::move(audit);
  return shifts(order({}, std::move(events), {}), p);
}

std::string audit_line(const std::string& sub, const std::string& name, const std::string& outcome,
                       const std::string& more) {
  return R"({"principal":")" + sub + R"(","issuer":"i","method":"tools/call","name":")" + name +
         R"(","outcome":")" + outcome + "\"," + more + '}';
}

TEST(replay_text, does_nothing_to_a_terminal) {
  auto request = of(kind::request, 1);
  request.method = "POST";
  // A control sequence in one character of UTF-8, and a mark that turns the direction of writing.
  request.body =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
      "\"a\xc2\x9b"
      "31m\xe2\x80\xae\"}}";
  auto answer = of(kind::answer, 1);
  answer.status = 200;
  played p;
  p.visits.emplace_back().differences.push_back({"at \xc2\x9b", "\x1b[31m", "\xff"});
  p.visits.back().compared = true;
  const auto text = as_text(order({}, {request, answer}, {}), p, 20);
  for (const auto* bad : {"\xc2\x9b", "\xe2\x80\xae", "\x1b", "\xff"})
    EXPECT_EQ(text.find(bad), std::string::npos) << text;
  EXPECT_NE(text.find("\\u009b"), std::string::npos) << text;
}

TEST(what_if, examples_have_the_rules_of_their_own_callers) {
  // Audit events come when calls end, not in the order in which they began.
  const auto rows = shifts_of({{"ann", "x"}, {"ben", "x"}, {"ben", "x"}},
                              {audit_line("ben", "x", "ok", R"("ruleId":"b1","upstream":"u")"),
                               audit_line("ben", "x", "ok", R"("ruleId":"b2","upstream":"u")"),
                               audit_line("ann", "x", "ok", R"("ruleId":"a","upstream":"u")")});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].recorded, "HTTP 429");
  ASSERT_EQ(rows[0].examples.size(), 3U);
  EXPECT_EQ(rows[0].examples[0].rule, "a");
  EXPECT_EQ(rows[0].examples[1].rule, "b1");
  EXPECT_EQ(rows[0].examples[2].rule, "b2");
}

TEST(what_if, whoever_did_not_wait_has_an_audit_event_too) {
  const auto rows = shifts_of({{"ann", "x", true}, {"ann", "x"}},
                              {audit_line("ann", "x", "ok", R"("ruleId":"first")"),
                               audit_line("ann", "x", "ok", R"("ruleId":"second")")});
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].examples.size(), 1U);
  EXPECT_EQ(rows[0].examples[0].rule, "second");
}

TEST(what_if, what_was_refused_before_it_was_a_call_has_no_upstream) {
  asked_again refused{"ann", "x"};
  refused.status = 403;
  refused.now = R"({"error":{"code":-32000,"data":{"gate":{"reason":"tenant_ambiguous"}}}})";
  const auto rows = shifts_of({refused}, {audit_line("ann", "x", "denied", R"("upstream":"u")")});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].replayed, "tenant_ambiguous");
  EXPECT_EQ(rows[0].examples[0].upstream, "");
}

TEST(tape, many_that_move_at_once) {
  const auto crowd = [](std::size_t n) {
    event_list all;
    const auto body = [](std::size_t i) { return R"({"id":)" + std::to_string(i) + '}'; };
    for (std::size_t i = 1; i <= n; ++i) all.emplace_back(of(kind::request, i)).body = body(i);
    for (std::size_t i = 1; i <= n; ++i) all.emplace_back(of(kind::moved, i)).to = 1;
    for (std::size_t i = n; i > 0; --i) {
      auto& e = all.emplace_back(of(kind::request, i, 1, 1));
      e.arrives = true;
      e.body = body(i);  // those that left last arrive first
    }
    return [all = std::move(all), n]() mutable {
      const auto t = order({}, std::move(all), {});
      EXPECT_EQ(t.visits.size(), n);
      EXPECT_EQ(t.whose.back(), 0U);
    };
  };
  EXPECT_LT(sim::testing::growth(3000, crowd), sim::testing::most_growth);
}

}  // namespace
}  // namespace gate::replay
