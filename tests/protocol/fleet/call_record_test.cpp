#include "protocol/fleet/call_record.hpp"

#include <gtest/gtest.h>

#include "protocol/fleet/fields.hpp"
#include "protocol/fleet/session_record.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {
namespace {

attempt an_attempt() {
  attempt a{1, 2, 3, {}, R"({"roots":{}})", R"({"q1":{}})"};
  a.binding.fill(7);
  return a;
}
settlement a_settlement() {
  return {5,
          settlement::what::result,
          R"({"usage":1,"task":"x"})",
          {9, 1},
          {18, 3},
          no_answer::timed_out,
          true,
          true,
          true,
          2};
}
task_question a_question() {
  return {
      5,
      6,
      7,
      "a",
      R"({"extensions":{}})",
      R"({"jsonrpc":"2.0","id":1,"method":"tasks/get"})",
      "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nbaggage: k=v\r\n",
      1};
}

cause a_cause() {
  cause c{{}, true};
  c.span.trace.fill(1);
  c.span.span.fill(2);
  c.span.flags = 3;
  return c;
}

TEST(call_records, come_back_as_they_were) {
  EXPECT_EQ(read_cause(encode(a_cause())), a_cause());
  EXPECT_EQ(read_attempt(encode(an_attempt())), an_attempt());
  EXPECT_EQ(read_settlement(encode(a_settlement())), a_settlement());
  EXPECT_EQ(read_task_question(encode(a_question())), a_question());
  EXPECT_EQ(read_attempt(encode(attempt{})), attempt{});
  EXPECT_EQ(read_task_question(encode(task_question{})), task_question{});
  EXPECT_EQ(read_settlement(encode(settlement{})), settlement{});
}

TEST(call_records, are_whole_or_none) {
  const auto check = [](const std::string& bytes, auto read) {
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_FALSE(read(bytes.substr(0, i))) << i;
    EXPECT_FALSE(read(bytes + '\0'));
  };
  check(encode(an_attempt()), read_attempt);
  check(encode(a_settlement()), read_settlement);
  check(encode(a_question()), read_task_question);
  check(encode(a_cause()), read_cause);
  EXPECT_FALSE(read_cause(encode(a_settlement())));
  EXPECT_FALSE(read_task_question(encode(an_attempt())));
  EXPECT_FALSE(read_attempt(encode(a_settlement())));
  EXPECT_FALSE(read_settlement(encode(an_attempt())));
  EXPECT_FALSE(read_word(encode(an_attempt())));
}

TEST(call_records, name_pieces_of_their_text_only) {
  auto s = a_settlement();
  for (const settlement::piece p : {settlement::piece{22, 1}, {23, 0}, {0, 23}, {0xffffffff, 2}}) {
    s.usage = p;
    EXPECT_FALSE(read_settlement(encode(s))) << p.at;
    s.usage = {};
    s.task = p;
    EXPECT_FALSE(read_settlement(encode(s))) << p.at;
    s.task = {};
  }
  s.usage = {0, 22};
  s.task = {22, 0};
  EXPECT_TRUE(read_settlement(encode(s)));
}

TEST(call_records, have_no_words_that_nobody_knows) {
  const auto good = encode(a_settlement());
  const auto with = [&](std::size_t place, char value) {
    auto out = good;
    out[place] = value;
    return read_settlement(out);
  };
  EXPECT_FALSE(with(9, 7)) << "what it is";
  EXPECT_TRUE(with(9, 6));
  for (const std::size_t from_the_end : {5U, 6U, 7U})
    EXPECT_FALSE(with(good.size() - from_the_end, 2));
  EXPECT_FALSE(with(good.size() - 8, static_cast<char>(no_answers.size())));
}

TEST(fields, are_none_from_the_first_that_is_missing_or_too_long) {
  auto bytes = begin(shape::attempt);
  put(bytes, 0x0102, 2);
  put(bytes, "text");
  fields good(bytes);
  EXPECT_TRUE(good.begins(shape::attempt));
  EXPECT_EQ(good.number(2), 0x0102U);
  EXPECT_EQ(good.text(4), "text");
  EXPECT_TRUE(good.complete());
  EXPECT_EQ(good.number(1), 0U);
  EXPECT_FALSE(good.good());
  fields narrow(bytes);
  narrow.take(3);
  EXPECT_EQ(narrow.text(3), "");
  EXPECT_EQ(narrow.take(1), "");
  EXPECT_FALSE(fields(bytes).begins(shape::session));
}

TEST(call_records, are_bounded) {
  auto a = an_attempt();
  a.answers.assign(limits::fleet_word_bytes + 1, 'x');
  EXPECT_FALSE(read_attempt(encode(a)));
  auto q = a_question();
  q.request.assign(limits::fleet_word_bytes + 1, 'x');
  EXPECT_FALSE(read_task_question(encode(q)));
  q = a_question();
  q.upstream.assign(limits::fleet_name_bytes + 1, 'x');
  EXPECT_FALSE(read_task_question(encode(q)));
}

TEST(call_records, name_no_level_that_there_is_not) {
  auto q = a_question();
  for (int level = 0; level < 256; ++level) {
    q.log_level = static_cast<std::uint8_t>(level);
    EXPECT_EQ(read_task_question(encode(q)).has_value(), level <= no_log_level) << level;
  }
}

TEST(call_records, link_to_no_span_that_is_none) {
  const auto good = [](auto change) {
    auto c = a_cause();
    change(c);
    return read_cause(encode(c)).has_value();
  };
  EXPECT_TRUE(good([](cause& c) { c.answered = false; }));
  EXPECT_FALSE(good([](cause& c) { c.span.trace = {}; }));
  EXPECT_FALSE(good([](cause& c) { c.span.span = {}; }));
  EXPECT_FALSE(good([](cause& c) { c.span.flags = 2; })) << "it is not recorded";
  auto bytes = encode(a_cause());
  bytes.back() = 2;
  EXPECT_FALSE(read_cause(bytes));
  // That is what instances say that know nothing of causes.
  EXPECT_EQ(read_settlement(encode(settlement{.is = settlement::what::taken}))->text, "");
  EXPECT_FALSE(read_cause(""));
}

TEST(call_records, carry_no_header_but_those_of_traces) {
  auto q = a_question();
  for (const std::string lines :
       {"authorization: x\r\n", "baggage: k=v", "baggage: k=v\r\nx: y\r\n", "\r\n"}) {
    q.trace = lines;
    EXPECT_FALSE(read_task_question(encode(q))) << lines;
  }
}

}  // namespace
}  // namespace gate::fleet
