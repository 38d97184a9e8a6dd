#include "protocol/webhook/callers.hpp"

#include <gtest/gtest.h>

#include <map>

#include "protocol/limits/hooks_api.hpp"

namespace gate::webhook {
namespace {

using word_map = std::map<std::string, std::string, std::less<>>;

callers::secrets secrets_of(word_map all) {
  return [all = std::move(all)](std::string_view name) -> std::optional<std::string> {
    const auto at = all.find(name);
    if (at == all.end()) return {};
    return at->second;
  };
}

std::string document_of(std::string_view organizations) {
  return R"({"organizations":)" + std::string(organizations) + "}";
}

TEST(organizations, are_read_as_they_are_written) {
  const auto read = read_organizations(
      " {\"organizations\": [{\"id\":\"acme\",\"tokenRef\":\"ACME_TOKEN\",\"admin\":true},\n"
      "{\"tokenRef\":\"_b2\",\"id\":\"0-9\"},"
      "{\"id\":\"c\",\"tokenRef\":\"C\",\"admin\":false}]} ");
  ASSERT_TRUE(read) << read.error().error;
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ((*read)[0].id, "acme");
  EXPECT_EQ((*read)[0].token_ref, "ACME_TOKEN");
  EXPECT_TRUE((*read)[0].admin);
  EXPECT_EQ((*read)[1].id, "0-9");
  EXPECT_EQ((*read)[1].token_ref, "_b2");
  EXPECT_FALSE((*read)[1].admin);
  EXPECT_FALSE((*read)[2].admin);
}

TEST(organizations, are_refused_by_their_place) {
  const std::string good = R"({"id":"a","tokenRef":"A"})";
  const auto longest = std::string(limits::hooks_organization_bytes, 'a');
  EXPECT_TRUE(read_organizations(document_of(R"([{"id":")" + longest + R"(","tokenRef":"A"}])")));
  const std::pair<std::string, std::string> table[] = {
      {"", ""},
      {"[]", ""},
      {"{}", "/organizations"},
      {R"({"organisations":[]})", "/organisations"},
      {R"({"organizations":[],"organizations":[]})", "/organizations"},
      {document_of("{}"), "/organizations"},
      {document_of("[]"), "/organizations"},
      {document_of("[1]"), "/organizations/0"},
      {document_of("[{}]"), "/organizations/0/id"},
      {document_of(R"([{"id":"a"}])"), "/organizations/0/tokenRef"},
      {document_of(R"([{"tokenRef":"A"}])"), "/organizations/0/id"},
      {document_of(R"([{"id":1,"tokenRef":"A"}])"), "/organizations/0/id"},
      {document_of(R"([{"id":"","tokenRef":"A"}])"), "/organizations/0/id"},
      {document_of(R"([{"id":"A","tokenRef":"A"}])"), "/organizations/0/id"},
      {document_of(R"([{"id":"a_b","tokenRef":"A"}])"), "/organizations/0/id"},
      {document_of(R"([{"id":"a.b","tokenRef":"A"}])"), "/organizations/0/id"},
      {document_of(R"([{"id":"a)" + longest + R"(","tokenRef":"A"}])"), "/organizations/0/id"},
      {document_of(R"([{"id":"a","tokenRef":""}])"), "/organizations/0/tokenRef"},
      {document_of(R"([{"id":"a","tokenRef":"1A"}])"), "/organizations/0/tokenRef"},
      {document_of(R"([{"id":"a","tokenRef":"a secret"}])"), "/organizations/0/tokenRef"},
      {document_of(R"([{"id":"a","tokenRef":null}])"), "/organizations/0/tokenRef"},
      {document_of(R"([{"id":"a","tokenRef":"A","admin":1}])"), "/organizations/0/admin"},
      {document_of(R"([{"id":"a","tokenRef":"A","admin":"true"}])"), "/organizations/0/admin"},
      {document_of(R"([{"id":"a","tokenRef":"A","token":"x"}])"), "/organizations/0/token"},
      {document_of(R"([{"id":"a","tokenRef":"A","id":"b"}])"), "/organizations/0/id"},
      {document_of("[" + good + R"(,{"id":"a","tokenRef":"B"}])"), "/organizations/1/id"},
      {document_of("[" + good + R"(,{"id":"b","tokenRef":"A"}])"), "/organizations/1/tokenRef"},
      {document_of("[" + good + "]") + "x", ""},
      {"\xFF", ""},
      {document_of("[" + good + "]") + std::string(limits::hooks_configuration_bytes, ' '), ""},
  };
  for (const auto& [text, pointer] : table) {
    const auto read = read_organizations(text);
    ASSERT_FALSE(read) << text.substr(0, 200);
    EXPECT_EQ(read.error().in, locus::pointer) << text.substr(0, 200);
    EXPECT_EQ(read.error().where, pointer) << text.substr(0, 200) << ": " << read.error().error;
    EXPECT_FALSE(read.error().error.empty());
  }
}

TEST(organizations, are_so_many_at_the_most) {
  const auto list = [](std::size_t n) {
    std::string out = "[";
    for (std::size_t i = 0; i < n; ++i)
      out += (i == 0 ? "" : ",") + (R"({"id":"o)" + std::to_string(i)) + R"(","tokenRef":"T)" +
             std::to_string(i) + "\"}";
    return document_of(out + "]");
  };
  EXPECT_TRUE(read_organizations(list(limits::hooks_organizations)));
  const auto more = read_organizations(list(limits::hooks_organizations + 1));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().where, "/organizations");
}

const std::vector<organization> two_organizations{{"acme", "A", true}, {"other", "B", false}};

TEST(callers, are_known_by_their_tokens) {
  const auto all = callers::of(
      two_organizations, secrets_of({{"A", "the token of acme"}, {"B", "the-token-of-other\r\n"}}));
  ASSERT_FALSE(all) << "a blank within it";
  const auto made =
      callers::of(two_organizations,
                  secrets_of({{"A", "the.token.of.acme"}, {"B", " the-token-of-other\r\n"}}));
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_TRUE(made->asks_for_token());
  EXPECT_EQ(made->size(), 2U);
  const auto* acme = made->find("the.token.of.acme");
  ASSERT_NE(acme, nullptr);
  EXPECT_EQ(acme->organization, "acme");
  EXPECT_TRUE(acme->admin);
  EXPECT_EQ(acme->number, 0U);
  const auto* other = made->find("the-token-of-other");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->organization, "other");
  EXPECT_FALSE(other->admin);
  EXPECT_EQ(other->number, 1U);
  for (const std::string_view wrong : {"", "the.token.of.acm", "the.token.of.acme ",
                                       "The.token.of.acme", "A", "the.token.of.acmf"})
    EXPECT_EQ(made->find(wrong), nullptr) << wrong;
}

TEST(callers, have_good_tokens) {
  const auto told = [](word_map secrets) {
    const auto made = callers::of(two_organizations, secrets_of(std::move(secrets)));
    return made ? std::string("good") : made.error().what;
  };
  const std::string least(limits::hooks_token_least, 'a'), most(limits::hooks_token_most, 'b');
  EXPECT_EQ(told({{"A", least}, {"B", most}}), "good");
  EXPECT_EQ(told({{"A", least}}), "the variable B, which has a token, is not set, or blank");
  EXPECT_EQ(told({{"A", least}, {"B", " \n"}}),
            "the variable B, which has a token, is not set, or blank");
  EXPECT_EQ(told({{"A", least}, {"B", least}}),
            "the token in the variable B is that of another organization, too");
  EXPECT_EQ(told({{"A", least.substr(1)}, {"B", most}}),
            "the token in the variable A is shorter than 16 characters");
  EXPECT_EQ(told({{"A", least}, {"B", most + "b"}}),
            "the token in the variable B is longer than 4096 characters");
  EXPECT_EQ(told({{"A", least + "\x7F"}, {"B", most}}),
            "the token in the variable A has other characters than those of visible ASCII");
  EXPECT_FALSE(callers::of({}, secrets_of({})));
}

TEST(callers, need_no_token_if_none_is_asked_for) {
  const callers everybody;
  EXPECT_FALSE(everybody.asks_for_token());
  for (const std::string_view token : {"", "whatever"}) {
    const auto* who = everybody.find(token);
    ASSERT_NE(who, nullptr);
    EXPECT_EQ(who->organization, callers::only);
    EXPECT_TRUE(who->admin);
  }
}

}  // namespace
}  // namespace gate::webhook
