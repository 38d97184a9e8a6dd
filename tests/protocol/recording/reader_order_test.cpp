// What can stand where: times, and requests that things are for.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/recording/reader.hpp"

namespace gate::recording {
namespace {

constexpr std::string_view heading =
    R"({"gate_recording":1,"version":"0.1.0","started":"2026-11-28T06:00:00.000001Z","units":2,)"
    R"("config":{}})";
constexpr std::string_view asked_7 =
    R"({"t":0,"u":0,"e":"request","n":7,"peer":"127.0.0.1","method":"POST","target":"/mcp"})";
constexpr std::string_view fetched_3 =
    R"({"t":0,"u":1,"e":"fetch","n":3,"method":"POST","url":"http://up/mcp"})";

/// The problem of the first of these lines that has one, behind a good first line; empty if none
/// has.
std::string complaint_of(const std::vector<std::string_view>& lines) {
  reader r;
  EXPECT_TRUE(r.take(heading));
  for (const auto line : lines)
    if (const auto taken = r.take(line); !taken) return taken.error().what;
  return {};
}

TEST(recording_order, refuses_a_unit_whose_time_goes_back) {
  constexpr std::string_view later =
      R"({"t":9,"u":0,"e":"request","n":8,"peer":"p","method":"GET","target":"/"})";
  EXPECT_EQ(complaint_of({asked_7, later, R"({"t":8,"u":0,"e":"gone","n":7})"}),
            "line 4: has `t` 8, which is before line 3 of the same unit (9): lines are in another "
            "order, or were changed");
  EXPECT_EQ(complaint_of({asked_7, later, R"({"t":9,"u":0,"e":"gone","n":7})"}), "");
  // Other units have threads of their own, and so has who reads documents.
  EXPECT_EQ(complaint_of({later, fetched_3, R"({"t":1,"u":0,"e":"document","n":0,"document":{}})",
                          R"({"t":2,"u":0,"e":"reload","n":0})"}),
            "");
  for (const auto early :
       {R"({"t":8,"u":0,"e":"audit","n":0,"line":{}})", R"({"t":8,"u":0,"e":"adopted","n":0})",
        R"({"t":8,"u":0,"e":"turned","n":0,"here":true})", R"({"t":8,"u":0,"e":"stop","n":0})",
        R"({"t":8,"u":0,"e":"heard","n":0,"channel":"c","text":"x"})"}) {
    EXPECT_NE(complaint_of({later, early}).find("line 3: has `t` 8, which is before line 2"),
              std::string::npos)
        << early;
    EXPECT_EQ(complaint_of({fetched_3, early, later}), "") << early;
  }
  EXPECT_NE(complaint_of({R"({"t":9,"u":0,"e":"audit","n":0,"line":{}})", asked_7}).find("line 3"),
            std::string::npos)
      << "what has no number has its time";
}

TEST(recording_order, after_a_problem_it_is_as_before_it) {
  reader r;
  ASSERT_TRUE(r.take(heading));
  ASSERT_TRUE(r.take(R"({"t":9,"u":0,"e":"audit","n":0,"line":{}})"));
  ASSERT_FALSE(r.take(asked_7));
  const auto again =
      r.take(R"({"t":9,"u":0,"e":"request","n":7,"peer":"p","method":"GET","target":"/"})");
  EXPECT_TRUE(again) << again.error().what;
}

TEST(recording_order, refuses_what_is_for_a_request_that_there_was_not) {
  constexpr std::string_view answer = R"({"t":1,"u":0,"e":"answer","n":7,"status":200})";
  const auto of = [](std::string_view what, int unit, int number) {
    return R"({"t":2,"u":)" + std::to_string(unit) + R"(,"e":)" + std::string(what) +
           R"(,"request":)" + std::to_string(number) + '}';
  };
  for (const std::string_view what :
       {R"("audit","n":0,"line":{})", R"("fetch","n":9,"method":"GET","url":"http://up/")"}) {
    EXPECT_EQ(complaint_of({asked_7, of(what, 0, 7)}), "");
    EXPECT_EQ(complaint_of({asked_7, answer, of(what, 0, 7)}), "") << "it may be over";
    EXPECT_EQ(complaint_of({of(what, 0, 0)}), "") << "of none";
    EXPECT_NE(complaint_of({asked_7, of(what, 0, 8)})
                  .find("is for request 8 of unit 0, which no line before it begins"),
              std::string::npos);
    EXPECT_NE(complaint_of({asked_7, of(what, 1, 7)}).find("is for request 7 of unit 1"),
              std::string::npos)
        << "numbers are those of a unit";
    EXPECT_NE(complaint_of({of(what, 0, 7), asked_7}).find("line 2: "), std::string::npos);
  }
}

}  // namespace
}  // namespace gate::recording
