// Of actors/doctor/report.cpp, actors/doctor/words.cpp and actors/doctor/lists.cpp.
#include "actors/doctor/report.hpp"

#include <gtest/gtest.h>

#include "actors/doctor/upstream_visit.hpp"
#include "actors/doctor/words.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits/doctor.hpp"

namespace gate::doctor {
namespace {

TEST(names, of_tools_are_judged_as_clients_see_them) {
  notes n({}, {});
  judge_tool_names({"a__fine", std::string(64, 'x')}, n);
  EXPECT_TRUE(n.all().empty());
  judge_tool_names({std::string(65, 'x'), "a.b", "t", "t"}, n);
  EXPECT_EQ(n.all().size(), 3U);
}

TEST(reports, have_no_secret_in_them) {
  const discretion hide({"s3cr3t\"quoted", "abc"});
  EXPECT_EQ(hide.without("x s3cr3t\"quoted y"), "x [secret] y");
  EXPECT_EQ(hide.without(R"(x s3cr3t\"quoted y)"), "x [secret] y");
  EXPECT_EQ(hide.without("abc"), "abc") << "a word like that is everywhere";
  EXPECT_EQ(discretion({"abcdXY", "XYefgh"}).without("-abcdXYefgh-"), "-[secret]-");
}

TEST(reports, take_as_long_as_the_text_is) {
  // Of a length that replacing each in its place would take minutes for.
  std::string said;
  while (said.size() < limits::doctor_answer_bytes) said += "s3cr3t-of-them ";
  const auto out = discretion({"s3cr3t-of-them"}).without(said);
  EXPECT_EQ(out.size(), said.size() / 15 * 9);
}

TEST(reports, are_lines_and_json) {
  const findings all{{severity::ok, check::tools, "/a", "s", "fine", {}},
                     {severity::error, check::store, {}, {}, "bad \"thing\"", "mend it"}};
  EXPECT_TRUE(has_errors(all));
  EXPECT_EQ(as_lines(all),
            "ok       tools           /a (s) fine\n"
            "error    store           bad \"thing\". To do: mend it\n"
            "1 error, 0 warnings, 1 ok\n");
  const auto text = as_json(all);
  EXPECT_EQ(json::validate(text), json::fault::none) << text;
  EXPECT_EQ(json::member(text, "errors"), "1");
}

TEST(words, of_others_move_no_cursor) {
  EXPECT_EQ(printable("a\x1b[2Jb\xc3\xa4\n"), "a?[2Jb???");
  EXPECT_EQ(printable(std::string(1000, 'x')).size(), limits::doctor_quoted_bytes + 3);
  EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f", "g"}, notes({}, {})),
            R"("a", "b", "c", "d", "e" and 2 more)");
}

}  // namespace
}  // namespace gate::doctor
