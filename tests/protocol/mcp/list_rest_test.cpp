#include "protocol/mcp/list_rest.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/list.hpp"
#include "protocol/mcp/methods.hpp"

namespace gate::mcp {
namespace {

using names = std::vector<std::string>;

/// Of a list of tools with these members beside it.
list_rest rest(const std::string& members, std::string_view prefix = "") {
  auto page = read_list_page("{" + members + R"(,"tools":[]})", shape(list_kind::tools), prefix);
  return page ? page->rest : list_rest{"(unreadable)", false, {}};
}
std::string failures(const std::string& raw_names) {
  return R"("_meta":{"gate/partialFailure":{"failedUpstreams":)" + raw_names + "}}";
}

TEST(list_rest, is_kept_as_it_is) {
  const auto found = rest("\"a\\n\" :\n 1e2, \"b\" : [ 1 ,2],\"_meta\":{\"c\": 1.50}");
  EXPECT_EQ(found.members, R"(,"a\n":1e2,"b":[ 1 ,2],"_meta":{"c": 1.50})");
  EXPECT_TRUE(found.meta);
  EXPECT_TRUE(found.failed.empty());
  EXPECT_TRUE(rest(R"("nextCursor":"x")").empty());
}

TEST(list_rest, with_a_namespace_only_failures_are_kept) {
  const auto found = rest(R"("a":1,)" + failures(R"(["x"])"), "ns__");
  EXPECT_EQ(found, (list_rest{"", false, {"x"}}));
}

TEST(list_rest, says_nothing_that_some_decoder_takes_for_ours) {
  for (const auto* key : {"Tools", "TOOLS", "tool\\u0053", "tool\\u017f", "nextcursor",
                          "next\\u0043URSOR", "_Meta", "_m\\u0045ta", "x\\u0000", "nextCursor"})
    EXPECT_EQ(rest(R"("a":1,")" + std::string(key) + R"(":2,"b":3)").members, R"(,"a":1,"b":3)")
        << key;
}

TEST(list_rest, of_two_that_say_meta_neither_counts) {
  for (const auto* key : {"_meta", "\\u005fmeta"}) {
    const auto found =
        rest(R"("a":1,)" + failures(R"(["x"])") + R"(,"b":2,")" + key + R"(":{},"c":3,"_meta":4)");
    EXPECT_EQ(found.members, R"(,"a":1,"b":2,"c":3)");
    EXPECT_FALSE(found.meta);
    EXPECT_TRUE(found.failed.empty());
  }
}

TEST(list_rest, says_of_caching_what_the_merged_list_has_to_heed) {
  using std::chrono::milliseconds;
  struct row {
    const char* members;
    std::optional<milliseconds> ttl;
    bool everybodys;
  };
  for (const auto& [members, ttl, everybodys] : {
           row{R"("a":1)", {}, false},
           row{R"("ttlMs":5000,"cacheScope":"public","resultType":"complete")", milliseconds{5000},
               true},
           row{R"("ttl\u004ds":0,"cache\u0053cope":"\u0070ublic")", milliseconds{0}, true},
           row{R"("ttlMs":-1,"cacheScope":"private")", milliseconds{0}, false},
           row{R"("ttlMs":1e3)", milliseconds{0}, false},
           row{R"("ttlMs":"7","cacheScope":7)", milliseconds{0}, false},
           row{R"("ttlMs":99999999999999999999)", milliseconds{0}, false},
           row{R"("ttlMs":18446744073709551615)", limits::list_ttl, false},
           row{R"("ttlMs":5,"ttlMs":4,"cacheScope":"public","cacheScope":"private")",
               milliseconds{4}, false},
           row{R"("ttlMs":4,"ttlMs":5,"cacheScope":"private","cacheScope":"public")",
               milliseconds{4}, false},
       })
    for (const auto* prefix : {"", "ns__"}) {
      const auto found = rest(members, prefix);
      EXPECT_EQ(found.caching, (list_caching{ttl, everybodys})) << members;
      EXPECT_EQ(found.members.find("ttlMs"), std::string::npos) << found.members;
      EXPECT_EQ(found.members.find("Scope"), std::string::npos) << found.members;
      EXPECT_EQ(found.members.find("resultType"), std::string::npos) << found.members;
    }
}

TEST(merged_rest, holds_as_the_least_of_all) {
  using std::chrono::milliseconds;
  const auto says = [](std::optional<milliseconds> ttl, bool everybodys) {
    return std::make_shared<const list_rest>(list_rest{"", false, {}, {ttl, everybodys}});
  };
  merged_rest all;
  all.add("a", says(milliseconds{7}, true), false);
  EXPECT_EQ(all.caching(), (list_caching{milliseconds{7}, true}));
  all.add("b", says(milliseconds{5}, true), false);
  EXPECT_EQ(all.caching(), (list_caching{milliseconds{5}, true}));
  all.add("c", says({}, true), false);
  EXPECT_EQ(all.caching(), (list_caching{milliseconds{5}, true}));
  all.add("d", nullptr, false);
  EXPECT_EQ(all.caching(), (list_caching{milliseconds{5}, false})) << "who says nothing";
}

TEST(list_rest, is_bounded_member_by_member) {
  const std::string big(limits::list_rest_bytes, 'x');
  const auto found = rest(R"("small":1,"big":")" + big + R"(",)" +
                          failures(R"(["x"],"y":")" + big + R"(")") + R"(,"more":2)");
  EXPECT_EQ(found.members, R"(,"small":1,"more":2)");
  EXPECT_FALSE(found.meta);
  EXPECT_EQ(found.failed, names{"x"}) << "which is ours to say then";
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  EXPECT_LE(rest(many).members.size(), limits::list_rest_bytes);
}

TEST(list_rest, names_what_gateways_may_be_called) {
  EXPECT_EQ(
      rest(failures(R"(["x", "y/z-1","\u0061", 7,null,"",["q"],"A","a b","\n","a\u0000b","é"])"))
          .failed,
      (names{"x", "y/z-1", "a"}));
  EXPECT_TRUE(rest(failures(R"({"x":1})")).failed.empty());
  EXPECT_TRUE(rest(failures("7")).failed.empty());
  EXPECT_TRUE(rest(R"("_meta":{"gate/partialFailure":[]})").failed.empty());
  const std::string longest(limits::nested_failure_bytes, 'a');
  EXPECT_EQ(rest(failures(R"([")" + longest + R"(","a)" + longest + R"("])")).failed,
            names{longest});
}

TEST(list_rest, names_so_many_at_most) {
  std::string all = "[";
  for (int i = 0; i < 1000; ++i) all += (i ? ",\"" : "\"") + std::to_string(i) + '"';
  const auto found = rest(failures(all + "]")).failed;
  ASSERT_EQ(found.size(), limits::nested_failures);
  EXPECT_EQ(found.back(), "99");
}

TEST(list_rest, may_be_nested_as_deeply_as_an_answer_may) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(rest("\"a\":" + nested(4000)).members, ",\"a\":" + nested(4000));
  EXPECT_EQ(rest("\"a\":" + nested(5000)).members, "(unreadable)");
  EXPECT_TRUE(rest(failures(nested(4000))).failed.empty());
}

TEST(merged_rest, passes_on_what_one_says_or_names_what_several_lack) {
  const auto says = [](std::string members, bool meta, names failed) {
    return std::make_shared<const list_rest>(
        list_rest{std::move(members), meta, std::move(failed)});
  };
  merged_rest nothing;
  nothing.add("a", nullptr, true);
  EXPECT_EQ(nothing.members(), "");
  merged_rest one;
  one.add("a", says(R"(,"_meta":{})", true, {"x"}), true);
  EXPECT_EQ(one.members(), R"(,"_meta":{})");
  EXPECT_TRUE(one.nested().empty()) << "`_meta` says it, and stands once";
  merged_rest without;
  without.add("a", says(R"(,"b":1)", false, {"x"}), true);
  EXPECT_EQ(without.members(), R"(,"b":1)");
  EXPECT_EQ(without.nested(), names{"a/x"});
  merged_rest several;
  several.add("a", says("", false, {"x", "y/z"}), false);
  several.add("b", says(R"(,"_meta":{})", true, {"x"}), false);
  EXPECT_EQ(several.members(), "");
  EXPECT_EQ(several.nested(), (names{"a/x", "a/y/z", "b/x"}));
}

TEST(partial_failure, is_said_once_of_all) {
  EXPECT_EQ(partial_failure({}, {}), "");
  EXPECT_EQ(partial_failure({"a"}, {}),
            R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":["a"]}})");
  EXPECT_EQ(partial_failure({"a", "b"}, {"c/d/e"}),
            R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":["a","b","c/d/e"]}})");
  EXPECT_EQ(partial_failure({}, {"x/y"}),
            R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":["x/y"]}})");
}

}  // namespace
}  // namespace gate::mcp
