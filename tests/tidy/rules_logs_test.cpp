/// The rule about the log on trees of a few lines: how sentences are found in sources and pages.
#include <gtest/gtest.h>

#include "tests/tidy/rules.hpp"

namespace gate::tidy {
namespace {

std::string found(std::string_view source, std::string_view page,
                  std::string path = "actors/router/x.cpp") {
  std::string out;
  for (const auto& f : check_log_sentences(make_tree(
           {{std::move(path), std::string(source)}, {"docs/operations.md", std::string(page)}})))
    out += to_string(f) + "\n";
  return out;
}

TEST(log_sentences, are_compared_both_ways) {
  constexpr auto source = R"(void f() { log::warn("It is so.", {{"a", b}}); })";
  EXPECT_EQ(found(source, "| warn | `It is so.` | a bug |\n"), "");
  EXPECT_NE(found(source, "").find("logs `It is so.` (warn)"), std::string::npos);
  EXPECT_NE(found("", "| warn | `It is so.` | a bug |\n").find("which nobody logs"),
            std::string::npos);
}

TEST(log_sentences, have_a_level) {
  constexpr auto source = R"(void f() { log::error("It is so."); })";
  const auto out = found(source, "| warn | `It is so.` | a bug |\n");
  EXPECT_NE(out.find("logs `It is so.` (error)"), std::string::npos);
  EXPECT_NE(out.find("explains `It is so.` (warn)"), std::string::npos);
}

TEST(log_sentences, may_be_written_in_pieces) {
  EXPECT_EQ(found(R"(void f() {
    log::info("gate " GATE_VERSION " is on " + url(a, "b") + ":" + to_string(p) + s.path + " now"
              ", with \"care\".", {});
  })",
                  "| info | `gate … is on …:… now, with \"care\".` | ready |\n"),
            "");
}

TEST(log_sentences, may_be_one_of_two) {
  EXPECT_EQ(found(R"(void f() {
    log::info(was ? "It is so, again." : "It is so.", {{"why", "no sentence"}});
    log::write(good ? log::level::info : log::level::warn, good ? "It is back." : "It is off.", {});
    doors_.log(log::level::warn, "It is " + how, {who});
    log::debug("Nobody needs this explained.");
  })",
                  "| info | `It is so, again.` | a |\n| info | `It is so.` | b |\n"
                  "| info | `It is back.` | c |\n| warn | `It is off.` | d |\n"
                  "| warn | `It is …` | e |\n"),
            "");
}

TEST(log_sentences, are_written_where_they_are_logged) {
  constexpr auto source = R"(void f() { log::warn(sentence, {}); })";
  EXPECT_NE(found(source, "").find("written elsewhere"), std::string::npos);
  EXPECT_EQ(found(source, "", "actors/supervisor/gateway_actor.cpp"), "");
}

TEST(log_sentences, that_are_written_elsewhere_are_known) {
  constexpr auto rows =
      R"(constexpr row table[]{{role::x, "X crashed and is restarted.", "and so"}};)";
  EXPECT_EQ(found(rows, "| error | `X crashed and is restarted.` | a bug |\n",
                  "actors/supervisor/children.hpp"),
            "");
  EXPECT_NE(found(rows, "", "actors/supervisor/children.hpp"), "");
}

TEST(log_sentences, have_one_row_each) {
  EXPECT_NE(found("", "| warn | `It is so.`, `It is not.` | both |\n").find("one sentence"),
            std::string::npos);
  EXPECT_NE(found("", "| warn | `It is so.` | |\n").find("what it means"), std::string::npos);
  EXPECT_EQ(found("", "| Level | Sentence | Meaning |\n|---|---|---|\n"), "");
}

TEST(log_sentences, of_an_upstream_that_fails_have_a_table_of_their_own) {
  constexpr auto source = R"(void f() { s_.log.failed("is gone", e.what); })";
  constexpr auto path = "actors/upstream/x.cpp";
  EXPECT_EQ(
      found(source, "| An upstream … | Meaning |\n|---|---|\n| `is gone` | for good |\n", path),
      "");
  const auto out =
      found(source,
            "| An upstream … | Meaning |\n|---|---|\n| `went` | for good |\n\n| `x` | y |\n", path);
  EXPECT_NE(out.find("`is gone` is not in"), std::string::npos);
  EXPECT_NE(out.find("says that an upstream `went`"), std::string::npos);
  EXPECT_EQ(out.find("`x`"), std::string::npos);
}

}  // namespace
}  // namespace gate::tidy
