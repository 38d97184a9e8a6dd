// What a failure of PostgreSQL means: who asks is told what to do, and one line of it.
#include "transport/postgres/failure.hpp"

#include <gtest/gtest.h>

namespace gate::postgres {
namespace {

using kind = failure::kind;
using reason = ledger::refusal::reason;

failure of(std::string_view state) {
  return failure_of(state, "it says so", "PostgreSQL at h/d");
}

TEST(failures, the_state_says_what_to_do) {
  EXPECT_EQ(of("40001").what_kind, kind::again);
  EXPECT_EQ(of("40P01").what_kind, kind::again);
  EXPECT_EQ(of("55P03").what_kind, kind::again);
  EXPECT_EQ(of("57P01").what_kind, kind::lost);
  EXPECT_EQ(of("08006").what_kind, kind::lost);
  EXPECT_EQ(of("25006").what_kind, kind::lost);
  EXPECT_EQ(of("57014").what_kind, kind::unavailable);
  EXPECT_EQ(of("53100").what_kind, kind::unavailable);
  EXPECT_EQ(of("42P01").what_kind, kind::unavailable);
  EXPECT_EQ(of("22021").what_kind, kind::invalid);
  EXPECT_EQ(of("23505").what_kind, kind::invalid);
  EXPECT_EQ(of("XX000").what_kind, kind::unavailable);
  EXPECT_EQ(of("").what_kind, kind::unavailable);
}

TEST(failures, only_what_can_never_be_done_is_the_askers_fault) {
  EXPECT_EQ(of("23505").as_refusal().why, reason::invalid);
  for (const auto* state : {"40001", "57P01", "57014", "42P01", ""})
    EXPECT_EQ(of(state).as_refusal().why, reason::unavailable) << state;
}

TEST(failures, the_longest_beginning_holds) {
  EXPECT_NE(of("42501").what.find("more rights"), std::string::npos);
  EXPECT_NE(of("42P01").what.find("not as this program made them"), std::string::npos);
  EXPECT_NE(of("53100").what.find("disk is full"), std::string::npos);
  EXPECT_EQ(of("XX000").what, "PostgreSQL at h/d: it says so (XX000)");
}

TEST(failures, a_sentence_is_one_line) {
  EXPECT_EQ(one_line("first\n\tsecond.\n"), "first;  second");
  EXPECT_EQ(lost("gone\n", "PostgreSQL").what, "PostgreSQL is away: gone");
}

}  // namespace
}  // namespace gate::postgres
