#include "protocol/mcp/list_kinds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::mcp {
namespace {

TEST(a_row_of_lists, says_how_its_list_is_read) {
  for (const auto& l : lists) {
    const auto page = read_list_page(empty_list(l.shape), l.shape, "ns__");
    ASSERT_TRUE(page) << l.method;
    EXPECT_TRUE(page->items.empty());
    const auto one = R"({")" + std::string(l.shape.member) + R"(":[{")" + std::string(l.shape.key) +
                     R"(":"x"}]})";
    const auto read = read_list_page(one, l.shape, "ns__");
    ASSERT_TRUE(read) << l.method;
    ASSERT_EQ(read->items.size(), 1U);
    EXPECT_EQ(read->items[0].key, l.by == keyed::by_name ? "ns__x" : "x") << l.method;
  }
}

TEST(a_row_of_lists, names_what_its_servers_declare) {
  EXPECT_EQ(row(list_kind::templates).needs, feature::resources);
  EXPECT_EQ(row(list_kind::tasks).needs, feature::task_lists);
}

TEST(a_row_of_lists, shares_a_notice_with_lists_of_the_same_feature_only) {
  for (const auto& a : lists)
    for (const auto& b : lists)
      EXPECT_EQ(a.change_notice == b.change_notice, a.needs == b.needs)
          << a.method << " and " << b.method;
}

TEST(a_row_of_lists, has_a_notice_that_one_member_of_a_filter_asks_for) {
  for (const auto& a : lists) {
    std::size_t members = 0;
    for (const auto& b : lists)
      members += a.change_notice == b.change_notice && !b.asked_by.empty();
    EXPECT_EQ(members, a.change_notice.empty() ? 0U : 1U) << a.method;
  }
}

TEST(the_owner_of_a_uri, is_told_by_lists_of_resources_and_templates) {
  std::string said;
  for (const auto& l : lists)
    if (owns_uris(l.kind)) said.append(l.shape.member) += ' ';
  EXPECT_EQ(said, "resources resourceTemplates ");
}

}  // namespace
}  // namespace gate::mcp
