#include "protocol/webhook/outcome.hpp"

#include <gtest/gtest.h>

#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {
namespace {

using namespace std::chrono;

// Sun, 06 Nov 1994 08:49:37 GMT
const wall_time that_sunday =
    sys_days{year{1994} / 11 / 6} + hours{8} + minutes{49} + seconds{37} + milliseconds{500};

ending expected_ending(int code) {
  if (code == 410) return ending::gone;
  if (code == 429 || code == 502 || code == 503 || code == 504) return ending::throttled;
  if (code / 100 == 2) return ending::success;
  if (code / 100 == 3) return ending::redirect;
  return ending::rejected;
}

TEST(an_answer, of_every_status_has_a_meaning) {
  for (int code = 100; code <= 999; ++code) {
    const auto out = of_answer(code, "", that_sunday);
    EXPECT_EQ(out.end, expected_ending(code)) << code;
    EXPECT_EQ(out.code, code);
    EXPECT_EQ(out.succeeded(), code / 100 == 2) << code;
    EXPECT_EQ(out.error.empty(), out.succeeded()) << code;
    EXPECT_FALSE(out.retry_after) << code;
  }
}

TEST(an_answer, is_told_in_a_sentence) {
  EXPECT_EQ(of_answer(500, "", that_sunday).error,
            "the receiver answered 500 Internal Server Error");
  EXPECT_EQ(of_answer(418, "", that_sunday).error, "the receiver answered 418");
  EXPECT_EQ(of_answer(301, "", that_sunday).error,
            "the receiver answered 301 Moved Permanently: redirects are not followed");
  EXPECT_EQ(of_answer(410, "", that_sunday).error,
            "the receiver answered 410 Gone: it wants no more deliveries");
  EXPECT_EQ(of_answer(429, "", that_sunday).error, "the receiver answered 429 Too Many Requests");
}

TEST(an_answer, that_throttles_may_say_for_how_long) {
  for (const int code : {429, 502, 503, 504}) {
    EXPECT_EQ(of_answer(code, "120", that_sunday).retry_after, seconds{120});
    EXPECT_EQ(of_answer(code, "0", that_sunday).retry_after, seconds{0});
    EXPECT_EQ(of_answer(code, "Sun, 06 Nov 1994 08:50:37 GMT", that_sunday).retry_after,
              seconds{60});
    EXPECT_EQ(of_answer(code, "Sun, 06 Nov 1994 08:00:00 GMT", that_sunday).retry_after,
              seconds{0});
    EXPECT_EQ(of_answer(code, "86401", that_sunday).retry_after, limits::webhook_retry_after_most);
    EXPECT_EQ(of_answer(code, "99999999999999999999", that_sunday).retry_after,
              limits::webhook_retry_after_most);
    EXPECT_EQ(of_answer(code, "Fri, 31 Dec 9999 23:59:59 GMT", that_sunday).retry_after,
              limits::webhook_retry_after_most);
    for (const auto* bad : {"soon", "-1", "1.5", ""})
      EXPECT_FALSE(of_answer(code, bad, that_sunday).retry_after) << bad;
  }
  for (const int code : {200, 301, 400, 404, 410, 500, 501, 505})
    EXPECT_FALSE(of_answer(code, "120", that_sunday).retry_after) << code;
}

TEST(a_failure, is_told_in_a_sentence) {
  const std::pair<ending, const char*> table[] = {
      {ending::timeout, "the receiver did not answer in time"},
      {ending::unresolved, "the host has no address"},
      {ending::forbidden, "the host must not be called"},
      {ending::refused, "no connection to the receiver"},
      {ending::tls, "no trusted TLS connection to the receiver"},
      {ending::cut, "the connection ended before the answer did"},
      {ending::malformed, "the receiver's answer is not HTTP, or has no end"},
  };
  for (const auto& [end, words] : table) {
    const auto out = of_failure(end, "");
    EXPECT_EQ(out.end, end);
    EXPECT_EQ(out.code, 0);
    EXPECT_EQ(out.error, words);
    EXPECT_FALSE(out.succeeded());
    EXPECT_FALSE(out.retry_after);
    EXPECT_EQ(of_failure(end, "why").error, std::string(words) + ": why");
  }
}

TEST(a_failure, is_told_within_a_bound) {
  const auto out = of_failure(ending::cut, std::string(10'000, 'x'));
  EXPECT_EQ(out.error.size(), limits::webhook_error_bytes);
}

TEST(endings, have_a_label_each) {
  EXPECT_EQ(name_of(ending::success), "success");
  EXPECT_EQ(name_of(ending::rejected), "rejected");
  EXPECT_EQ(name_of(ending::timeout), "timeout");
  EXPECT_EQ(name_of(ending::malformed), "malformed");
  for (const auto name : ending_names) EXPECT_FALSE(name.empty());
}

TEST(a_text, is_cut_off_behind_a_whole_character) {
  EXPECT_EQ(cut_off("abc", 3), "abc");
  EXPECT_EQ(cut_off("abcd", 3), "abc");
  EXPECT_EQ(cut_off("abcd", 0), "");
  const std::string_view text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";  // 1, 2, 3, 4, 1 bytes
  const std::size_t kept[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
  for (std::size_t most = 0; most < std::size(kept); ++most)
    EXPECT_EQ(cut_off(text, most).size(), kept[most]) << most;
  EXPECT_EQ(cut_off("\x80\x80\x80\x80\x80\x80", 5).size(), 5U) << "what is no UTF-8 has none";
}

TEST(a_status, has_its_words) {
  EXPECT_EQ(status_text(200), "OK");
  EXPECT_EQ(status_text(404), "Not Found");
  EXPECT_EQ(status_text(511), "Network Authentication Required");
  EXPECT_EQ(status_text(413), "Content Too Large");
  for (const int none : {-1, 0, 100, 199, 299, 418, 599, 1000}) EXPECT_EQ(status_text(none), "");
}

}  // namespace
}  // namespace gate::webhook
