// Tokens: any text, and any header or claims in a token whose signature is good. What is believed
// was signed, and has one spelling.
#include <openssl/err.h>

#include <algorithm>
#include <string>

#include "protocol/base/base64url.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/assertion.hpp"
#include "protocol/oauth/signer.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

// Made for this and used nowhere else.
constexpr std::string_view pem = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7DScd+Dmv/d0Y4Zb
0BFRknKKZI6lmpdK/+ziUMbsH+KhRANCAARNn5vR2uETr5SbEROxbdVy13OrSXgS
SytKLXAHMXV9rZSW7YamOJxvGyLoJC4oaS0cEsp8vihrafWp4ZXMsrQN
-----END PRIVATE KEY-----
)";

constexpr std::string_view us = "https://gate.example/mcp";
const oauth::wall_time now{std::chrono::seconds(1'800'000'000)};

const oauth::signer& ours() {
  static const auto s = oauth::signer::from_pem(pem).value();
  return s;
}

void one_spelling(std::string_view text, const oauth::unverified_token& t) {
  require(inside(t.signed_part, text), "a view outside the text");
  require(std::string(t.signed_part) + '.' + base64url_encode(t.signature) == text,
          "two spellings");
  require(json::validate(t.claims) == json::fault::none && !t.claims.empty(), "no JSON");
}

void believed(const oauth::unverified_token& t, const oauth::principal& who) {
  require(t.type != oauth::assertion_type, "an assertion is no access token");
  require(!who.subject.empty() && who.key != 0 && who.subject == t.subject, "nobody");
  require(std::ranges::count(t.audience, us) > 0, "for somebody else");
  require(t.expires && who.expires > now - limits::token_leeway, "expired");
  require(who.claims == t.claims, "other claims");
}

/// `genuine`: signed by us, with good claims or bad ones.
void check(std::string_view text, bool genuine) {
  const auto t = oauth::read_token(text);
  if (!t) return;
  one_spelling(text, *t);
  oauth::principal who;
  const auto fault = oauth::check_access_token(*t, *ours().keys(), {us, "groups"}, now, who);
  require(
      genuine || fault == oauth::token_fault::unknown_key || fault == oauth::token_fault::signature,
      "forged");
  if (fault == oauth::token_fault::none) believed(*t, who);
  bool needs_key = false;
  const auto said = oauth::check_assertion(*t, *ours().keys(),
                                           {"https://idp.example", "https://gate.example", us, {}},
                                           "groups", now, needs_key);
  require(genuine || !said, "a forged assertion");
  require(!said || (!needs_key && t->type == oauth::assertion_type && !said->jti.empty() &&
                    said->jti.size() <= limits::jti_bytes && t->issuer == "https://idp.example" &&
                    t->audience.size() == 1 && said->expires <= now + limits::assertion_life),
          "an assertion that breaks a rule");
}

/// A token with this header and a signature that is none.
std::string with_header(std::string_view header) {
  return base64url_encode(header) + "." + base64url_encode(R"({"sub":"a"})") + "." +
         base64url_encode(std::string(64, 'x'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  switch (take_byte(text)) {
    case 'h':
      check(with_header(text), false);
      break;
    case 'c':
      check(ours().sign("at+jwt", text), true);
      break;
    case 'a':
      check(ours().sign("oauth-id-jag+jwt", text), true);
      break;
    default:
      check(text, false);
  }
  require(ERR_peek_error() == 0, "an error is left for the next user of OpenSSL");
  return 0;
}
