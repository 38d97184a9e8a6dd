#include "protocol/mcp/names.hpp"

#include <gtest/gtest.h>

#include "protocol/mcp/versions.hpp"

namespace gate::mcp {
namespace {

TEST(names, split_at_the_first_separator) {
  struct row {
    const char *name, *separator, *space, *bare;
  };
  for (auto r :
       {row{"files__read", "__", "files", "read"}, row{"a__b__c", "__", "a", "b__c"},
        row{"a___b", "__", "a", "_b"}, row{"a____", "__", "a", "__"},
        row{"a-1__x y/z", "__", "a-1", "x y/z"}, row{"a.b.c", ".", "a", "b.c"},
        row{"a/b", "/", "a", "b"}, row{"a__b", "_", "a", "_b"}, row{"x::y", "::", "x", "y"}}) {
    auto found = split(r.name, r.separator);
    ASSERT_TRUE(found.has_value()) << r.name;
    EXPECT_EQ(found->space, r.space);
    EXPECT_EQ(found->bare, r.bare);
  }
}

TEST(names, no_namespace) {
  for (std::string_view name : {"", "read", "a_b", "__", "__read", "files__", "_", "____"})
    EXPECT_FALSE(split(name, "__").has_value()) << name;
  EXPECT_FALSE(split("a", "").has_value());
  EXPECT_FALSE(split("", "").has_value());
}

TEST(versions, negotiation) {
  for (auto v : session_versions) {
    EXPECT_TRUE(is_session_version(v));
    EXPECT_EQ(negotiate(v), v);
  }
  for (std::string_view v : {"", "2026-07-28", "2025-11-25 ", "2024-11-06", "x"}) {
    EXPECT_FALSE(is_session_version(v));
    EXPECT_EQ(negotiate(v), "2025-11-25");
  }
}

}  // namespace
}  // namespace gate::mcp
