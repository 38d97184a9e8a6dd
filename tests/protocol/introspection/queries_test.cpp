#include "protocol/introspection/queries.hpp"

#include <gtest/gtest.h>

#include "protocol/mcp/methods.hpp"

namespace gate::introspection {
namespace {

std::string flaw(const auto& r) {
  return r ? std::string{} : r.error().what;
}

TEST(queries, are_what_stands_behind_the_question_mark) {
  EXPECT_EQ(query_of("/api/activity"), "");
  EXPECT_EQ(query_of("/api/activity?"), "");
  EXPECT_EQ(query_of("/api/activity?a=1?b"), "a=1?b");
}

TEST(queries, of_activity_have_defaults_and_bounds) {
  const auto plain = read_activity_query("");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->since);
  EXPECT_EQ(plain->limit, limits::activity_usual);
  const auto both = read_activity_query("limit=7&since=1795598400123456");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->since, 1795598400123456U);
  EXPECT_EQ(both->limit, 7U);
  EXPECT_EQ(read_activity_query("since=0")->since, 0U);
  for (const auto* large : {"limit=1001", "limit=1000000000", "limit=9223372036854775807"})
    EXPECT_EQ(read_activity_query(large)->limit, limits::activity_answer) << large;
}

TEST(queries, of_activity_that_mean_nothing_are_refused_by_name) {
  for (const auto* text : {"since=-1", "since=", "since=1e9", "since=0x1", "since=%31%20",
                           "since=9223372036854775808", "since=99999999999999999999999", "since"})
    EXPECT_EQ(flaw(read_activity_query(text)), "the parameter \"since\" must be a whole number")
        << text;
  for (const auto* text : {"limit=0", "limit=-1", "limit=1e9", "limit=", "limit=+1"})
    EXPECT_EQ(flaw(read_activity_query(text)),
              "the parameter \"limit\" must be a whole number of at least 1")
        << text;
}

TEST(queries, are_strict_about_what_there_is) {
  for (const auto* text :
       {"since=1&since=1", "since=%", "since=%4", "since=%GG", "since=%FF", "%73ince=1&since=2"}) {
    EXPECT_NE(flaw(read_activity_query(text)), "") << text;
    EXPECT_EQ(flaw(read_activity_query(text)).find("since=1"), std::string::npos) << "not quoted";
  }
  for (const auto* text : {"tenant=x", "Since=1", "all=true", "principal=bob", "=1"})
    EXPECT_EQ(flaw(read_activity_query(text)),
              "the query has a parameter that this endpoint does not know")
        << text;
  EXPECT_EQ(flaw(read_activity_query("since=1%00")),
            "the parameter \"since\" must not contain U+0000");
  EXPECT_EQ(read_activity_query("%73ince=%31")->since, 1U) << "escapes are resolved";
  EXPECT_NE(flaw(read_activity_query(std::string(64 * 1024, 'x'))), "");
  EXPECT_TRUE(read_no_query(""));
  EXPECT_FALSE(read_no_query("a=1"));
}

TEST(queries, to_be_explained_name_what_the_method_names) {
  const auto call = read_explain_query("method=tools%2Fcall&name=gh__a+b");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->method, "tools/call");
  EXPECT_EQ(call->name, "gh__a b");
  EXPECT_EQ(read_explain_query("method=tools/list")->name, "");
  EXPECT_TRUE(read_explain_query("method=nobody/knows&name=x")) << "that is an answer, too";
  for (const auto* text : {"", "name=x", "method=", "method=&name=x"})
    EXPECT_EQ(flaw(read_explain_query(text)), "the parameter \"method\" is missing") << text;
  for (const auto* method :
       {"tools/call", "prompts/get", "resources/read", "resources/subscribe"}) {
    EXPECT_EQ(flaw(read_explain_query(std::string("method=") + method)),
              "the parameter \"name\" is missing: the method has one")
        << method;
    EXPECT_FALSE(read_explain_query(std::string("method=") + method + "&name="));
  }
  EXPECT_EQ(flaw(read_explain_query("method=tools/list&name=x")),
            "the parameter \"name\" is not for this method: leave it out");
  EXPECT_FALSE(read_explain_query("method=tools/call&name=x%00"));
  EXPECT_FALSE(read_explain_query("method=tools/call&name=x&principal=bob"));
}

/// Whoever adds a method says here whether a query says enough to explain it.
TEST(queries, to_be_explained_say_all_that_the_method_is_judged_by) {
  using mcp::routing;
  for (const auto& m : mcp::methods) {
    const auto query = "method=" + std::string(m.name);
    const bool named = m.routing == routing::named || m.routing == routing::owned;
    std::string expected;
    switch (m.judging) {
      case mcp::judging::completed:
      case mcp::judging::owner:
        expected =
            "the method in the parameter \"method\" cannot be explained without its parameters";
        break;
      case mcp::judging::begun:
        expected = "the method in the parameter \"method\" cannot be explained without its session";
        break;
      case mcp::judging::itself:
        EXPECT_TRUE(named) << m.name;
        break;
      case mcp::judging::never:
        EXPECT_TRUE(m.routing == routing::local || m.routing == routing::listens ||
                    m.routing == routing::fan_out || m.routing == routing::notice)
            << m.name;
    }
    EXPECT_EQ(flaw(read_explain_query(query + (named ? "&name=x" : ""))), expected) << m.name;
    if (!expected.empty()) {
      EXPECT_EQ(flaw(read_explain_query(query + "&name=x")), expected) << m.name;
      EXPECT_EQ(flaw(read_explain_query(query)), expected) << m.name;
    }
  }
}

}  // namespace
}  // namespace gate::introspection
