#include "protocol/webhook/signature.hpp"

#include <gtest/gtest.h>

namespace gate::webhook {
namespace {

// The vector of the Standard Webhooks libraries, and Python's hmac for the rest.
constexpr std::string_view signed_id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr std::string_view standard_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view plain_secret = "plain secret of sixteen";
constexpr std::string_view signed_body = R"({"test": 2432232314})";
constexpr std::string_view by_secret = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
constexpr std::string_view by_plain = "v1,TZm69HO/XQYiEPrXHUBEbb4IPwGAAlgzMXzKblconWs=";
constexpr std::string_view hex_by_secret =
    "80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c";
constexpr std::string_view hex_by_plain =
    "4446468ec7934f3cc78add002fa0067381acad9e3dbc9e8a919a3d18c2c13666";
constexpr std::int64_t signed_at = 1614265330;
const wall_time signed_time{std::chrono::milliseconds{signed_at * 1000 + 999}};

webhook signing_with(std::string_view now, std::string_view before = {}, wall_time until = {}) {
  webhook w;
  w.secret = now;
  w.old_secret = before;
  w.old_secret_until = until;
  return w;
}

TEST(a_signature, is_the_standards) {
  EXPECT_EQ(standard_signature(standard_secret, signed_id, signed_at, signed_body), by_secret);
  EXPECT_EQ(standard_signature(plain_secret, signed_id, signed_at, signed_body), by_plain);
  EXPECT_NE(standard_signature(standard_secret, signed_id, signed_at + 1, signed_body), by_secret);
  EXPECT_NE(standard_signature(standard_secret, "msg_", signed_at, signed_body), by_secret);
  EXPECT_NE(standard_signature(standard_secret, signed_id, signed_at, R"({"test":2432232314})"),
            by_secret);
}

TEST(a_signature, of_ours_is_by_the_secret_as_it_is_written) {
  EXPECT_EQ(hex_signature(standard_secret, signed_body), hex_by_secret);
  EXPECT_EQ(hex_signature(plain_secret, signed_body), hex_by_plain);
  EXPECT_EQ(hex_signature("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(a_signature, is_by_one_secret) {
  const auto s = sign(signing_with(standard_secret), signed_id, signed_time, signed_body);
  EXPECT_EQ(s.gate, hex_by_secret);
  EXPECT_EQ(s.standard, by_secret) << "the time is whole seconds";
}

TEST(a_signature, needs_a_secret) {
  const auto s = sign(signing_with(""), signed_id, signed_time, signed_body);
  EXPECT_EQ(s.gate, "");
  EXPECT_EQ(s.standard, "");
}

TEST(a_signature, is_by_both_secrets_while_they_rotate) {
  const auto both = std::string(by_secret) + ' ' + std::string(by_plain);
  const auto tick = std::chrono::milliseconds{1};
  auto s = sign(signing_with(standard_secret, plain_secret, signed_time + tick), signed_id,
                signed_time, signed_body);
  EXPECT_EQ(s.standard, both);
  EXPECT_EQ(s.gate, hex_by_secret) << "by the new one only";
  for (const auto until : {signed_time, signed_time - tick, wall_time{}}) {
    s = sign(signing_with(standard_secret, plain_secret, until), signed_id, signed_time,
             signed_body);
    EXPECT_EQ(s.standard, by_secret) << "its time is over";
  }
}

TEST(a_delivery, says_who_and_what_it_is) {
  const delivered what{signed_id, "dlv_01ARYZ6S41TSV4RRFFQ69G5FAV", 3};
  const std::string without = "User-Agent: gate-hooks/" GATE_VERSION
                              "\r\n"
                              "Content-Type: application/json\r\n"
                              "X-Gate-Delivery: dlv_01ARYZ6S41TSV4RRFFQ69G5FAV\r\n"
                              "X-Gate-Attempt: 3\r\n"
                              "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek\r\n"
                              "webhook-timestamp: 1614265330\r\n";
  EXPECT_EQ(header_lines(signing_with(""), what, signed_time, signed_body), without);
  EXPECT_EQ(header_lines(signing_with(standard_secret), what, signed_time, signed_body),
            without + "webhook-signature: " + std::string(by_secret) +
                "\r\nX-Gate-Signature: " + std::string(hex_by_secret) + "\r\n");
}

}  // namespace
}  // namespace gate::webhook
