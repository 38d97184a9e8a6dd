#include "protocol/mcp/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::mcp {
namespace {

std::string token_in(std::string_view object) {
  const auto t = read_progress_token(object);
  return t ? std::string(*t) : "refused: " + t.error().what;
}

TEST(progress, tokens_are_strings_and_numbers_as_they_were_written) {
  for (std::string raw : {R"("a")", R"("\u0061")", R"("")", "7", "-7", "7.0", "1e2"})
    EXPECT_EQ(token_in(R"({"x":[{"progressToken":1}],"progressToken" : )" + raw + " }"), raw);
  for (auto raw : {"null", "{}", "[7]", "true"})
    EXPECT_EQ(token_in(R"({"progressToken":)" + std::string(raw) + "}"), "");
  for (auto object : {"", "7", "[]", "{}", R"({"x":7})", "{", R"({"progressToken")"})
    EXPECT_EQ(token_in(object), "") << object;
  EXPECT_EQ(token_in(R"({"progress\u0054oken":7})"), "7") << "however its key is written";
}

TEST(progress, a_token_that_others_could_read_differently_is_refused) {
  for (auto object :
       {R"({"progressToken":1,"progressToken":1})", R"({"progressToken":1,"\u0070rogressToken":2})",
        R"({"progressToken":1,"ProgressToken":2})", R"({"progresstoken":1})",
        "{\"progressTo\xE2\x84\xAA"
        R"(en":1})",
        "{\"progre\xC5\xBFsToken\":1}", R"({"progre\u017fsToken":1})"})
    EXPECT_EQ(token_in(object), "refused: progressToken occurs twice") << object;
}

TEST(progress, tokens_are_bounded) {
  const auto of = [](std::size_t size) {
    return R"({"progressToken":")" + std::string(size - 2, 'x') + R"("})";
  };
  EXPECT_EQ(token_in(of(limits::progress_token_bytes)).size(), limits::progress_token_bytes);
  EXPECT_EQ(token_in(of(limits::progress_token_bytes + 1)), "refused: progressToken is too long");
}

TEST(progress, is_replaced_wherever_it_stands) {
  constexpr std::string_view text = R"({"name":"a__tool","_meta":{"progressToken":7},"z":1})";
  const std::string_view token = text.substr(text.find('7'), 1);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    for (std::size_t skip = 0; cut + skip <= text.size(); ++skip) {
      const auto first = text.substr(0, cut), second = text.substr(cut + skip);
      const auto at = static_cast<std::size_t>(token.data() - text.data());
      if (at >= cut && at < cut + skip) continue;
      const auto p = replace_part("HEAD ", first, second, "}", token, "OURS");
      std::string want = "HEAD " + std::string(first) + std::string(second) + "}";
      const auto place = 5 + (at < cut ? at : at - skip);
      want.replace(place, 1, "OURS");
      EXPECT_EQ(p.before + std::string(p.first) + std::string(p.second) + p.after, want);
    }
  }
}

TEST(progress, is_replaced_and_only_the_shorter_side_is_copied) {
  const std::string large(10'000, 'x');
  for (const std::size_t in_front : {0, 400, 5'000, 10'000}) {
    const auto text = large.substr(0, in_front) + "7" + large.substr(in_front);
    const std::string_view token = std::string_view(text).substr(in_front, 1);
    const auto p = replace_part("HEAD ", text, {}, "}", token, "OURS");
    EXPECT_EQ(p.before + std::string(p.first) + std::string(p.second) + p.after,
              "HEAD " + large.substr(0, in_front) + "OURS" + large.substr(in_front) + "}");
    EXPECT_LE(p.before.size() + p.after.size(), 5 + 1 + 4 + std::min(in_front, 10'000 - in_front));
  }
}

}  // namespace
}  // namespace gate::mcp
