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

TEST(failures, a_server_that_will_not_is_not_away) {
  const auto why = [](const char* message) { return not_connected(message, "PostgreSQL at h/d"); };
  const auto no =
      why("connection to server at \"h\", port 5432 failed: FATAL:  28P01: password authentication "
          "failed "
          "for user \"u\"\nLOCATION:  auth_failed, auth.c:335\n");
  EXPECT_EQ(no.what_kind, kind::unavailable);
  EXPECT_EQ(no.what,
            "PostgreSQL at h/d: password authentication failed for user \"u\" (28P01); check user "
            "and password, and pg_hba.conf");
  EXPECT_EQ(why("on socket \"/a:  b/28P01: \" failed: FATAL:  3D000: no \"d\"\n").what,
            "PostgreSQL at h/d: no \"d\" (3D000); make that database");
  EXPECT_EQ(why("failed: FATAL:  57P03: it is starting up\nLOCATION:  x\n").what,
            "PostgreSQL at h/d: it is starting up (57P03)");
  EXPECT_EQ(why("failed: FATAL:  57P03: it is starting up\n").what_kind, kind::lost);
  for (const auto* other : {"", "failed: Connection refused\n", "failed:  ", "failed:  28p01: x",
                            "failed:  28P01", "failed:  28P0: x", "failed: 28P01: x"}) {
    EXPECT_EQ(why(other).what, lost(other, "PostgreSQL at h/d").what) << other;
    EXPECT_EQ(why(other).what_kind, kind::lost) << other;
  }
}

TEST(failures, a_sentence_is_one_line) {
  EXPECT_EQ(one_line("first\n\tsecond.\n"), "first;  second");
  EXPECT_EQ(lost("gone\n", "PostgreSQL").what, "PostgreSQL is away: gone");
}

}  // namespace
}  // namespace gate::postgres
