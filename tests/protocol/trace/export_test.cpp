#include "protocol/trace/export.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "protocol/trace/wire.hpp"
#include "tests/support/decoded_span.hpp"

namespace gate::trace {
namespace {

TEST(an_export, says_once_what_all_spans_have_in_common) {
  std::vector<std::shared_ptr<const std::string>> spans;
  for (int i = 0; i < 300; ++i) {
    std::string inside, out;
    wire::text(inside, 5, std::to_string(i));
    wire::text(out, 2, inside);
    spans.push_back(std::make_shared<const std::string>(std::move(out)));
  }
  const auto text = resource("my gate", "1.2").request(spans);
  std::string common, scope;
  std::vector<std::string> names;
  std::size_t groups = 0;
  testing::each_member(text, [&](const auto& group) {
    EXPECT_EQ(group.field, 1U);
    ++groups;
    testing::each_member(group.inside, [&](const auto& m) {
      if (m.field == 1) common = m.inside;
      if (m.field != 2) return;
      testing::each_member(m.inside, [&](const auto& of_scope) {
        if (of_scope.field == 1) scope = of_scope.inside;
        if (of_scope.field == 2) names.push_back(testing::decode_inside(of_scope.inside).name);
      });
    });
  });
  EXPECT_EQ(groups, 1U);
  EXPECT_NE(common.find("service.name"), std::string::npos);
  EXPECT_NE(common.find("my gate"), std::string::npos);
  EXPECT_NE(scope.find("gate"), std::string::npos);
  ASSERT_EQ(names.size(), 300U);
  EXPECT_EQ(names.front(), "0");
  EXPECT_EQ(names.back(), "299");
}

TEST(a_status, is_worth_another_try_or_not) {
  for (int status = 100; status < 600; ++status) {
    const bool again = status == 429 || status == 502 || status == 503 || status == 504;
    const auto wanted = status / 100 == 2 ? verdict::taken
                        : again           ? verdict::again
                                          : verdict::refused;
    EXPECT_EQ(verdict_of(status), wanted) << status;
  }
}

std::string answer(std::uint64_t refused, std::string_view why) {
  std::string inside, out;
  wire::number(inside, 1, refused);
  wire::text(inside, 2, why);
  wire::text(out, 1, inside);
  return out;
}

TEST(an_answer, says_how_many_were_refused) {
  EXPECT_EQ(read_answer("").refused, 0U);
  const auto read = read_answer(answer(7, "too \n old\xFF"));
  EXPECT_EQ(read.refused, 7U);
  EXPECT_EQ(read.why, "too ? old?");
  EXPECT_EQ(read_answer(answer(~std::uint64_t{0}, "")).refused, 0U) << "it is negative";
  EXPECT_LE(read_answer(answer(1, std::string(100'000, 'x'))).why.size(),
            limits::audit_error_bytes);
}

TEST(an_answer, that_is_none_says_nothing) {
  const auto whole = answer(7, "why");
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_LE(read_answer(whole.substr(0, n)).refused, 7U);
  EXPECT_EQ(read_answer("<html>").refused, 0U);
  EXPECT_EQ(read_answer(R"({"partialSuccess":{"rejectedSpans":"7"}})").refused, 0U);
}

}  // namespace
}  // namespace gate::trace
