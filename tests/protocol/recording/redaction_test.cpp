#include "protocol/recording/redaction.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstring>
#include <regex>

#include "protocol/base/base64.hpp"
#include "protocol/base/base64url.hpp"
#include "protocol/recording/secret_names.hpp"

namespace gate::recording {
namespace {

constexpr std::string_view jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
constexpr std::string_view own_session = "0123456789abcdef0123456789abcdef03";

redactor made(std::vector<std::string> names = {}) {
  return redactor("key", std::move(names));
}
std::string text(redactor& r, std::string_view in) {
  std::string out;
  r.text(out, in);
  return out;
}
std::string header(redactor& r, std::string_view name, std::string_view value) {
  std::string out;
  r.header_value(out, name, value);
  return out;
}
std::string url(redactor& r, std::string_view in) {
  std::string out;
  r.url(out, in);
  return out;
}

TEST(redaction_stand_in, is_stable_under_one_key_and_another_under_another) {
  auto a = made();
  auto b = redactor("other key", {});
  EXPECT_TRUE(std::regex_match(a.stand_in("one"), std::regex("secret:[0-9a-f]{8}")));
  EXPECT_EQ(a.stand_in("one"), a.stand_in("one"));
  EXPECT_NE(a.stand_in("one"), a.stand_in("two"));
  EXPECT_NE(a.stand_in("one"), b.stand_in("one"));
  EXPECT_TRUE(std::regex_match(a.session(own_session), std::regex("secret:[0-9a-f]{8}03")));
  EXPECT_EQ(a.session(""), "");
  const auto before = a.stand_in("one");
  for (std::size_t i = 0; i < 2 * limits::recording_memo; ++i) a.stand_in(std::to_string(i));
  EXPECT_EQ(a.stand_in("one"), before);
}

TEST(redaction_headers, basic_credentials_of_a_form_name_their_client) {
  auto r = made();
  const auto basic = [&r](std::string_view credentials, bool of_form) {
    std::string out;
    r.header_value(out, "Authorization", "Basic " + base64_encode(credentials), of_form);
    return out;
  };
  EXPECT_EQ(basic("desk%20top:pass:word", true), "Basic desk%20top:" + r.stand_in("pass:word"));
  EXPECT_EQ(basic("name:pass", false), "Basic " + r.stand_in(base64_encode("name:pass")));
  // A key without a password is one; and a name may be a secret as any text may.
  for (const auto* whole : {"key:", ":pass", "key", "na me:pass", "n\x01:pass"})
    EXPECT_EQ(basic(whole, true), "Basic " + r.stand_in(base64_encode(whole)));
  r.know("sesame-open");
  EXPECT_EQ(basic("sesame-open:x", true),
            "Basic " + r.stand_in("sesame-open") + ":" + r.stand_in("x"));
}

TEST(redaction_text, what_has_no_secrets_is_not_copied) {
  auto r = made(), named = made({"pin"});
  r.know("sesame-open");
  std::string room;
  for (const auto* plain : {"", "hello", R"({"a":"b \" c"})", "e yJ"}) {
    const std::string_view in = plain;
    EXPECT_EQ(r.text_in(room, in).data(), in.data()) << in;
  }
  for (const std::string& in :
       {std::string("a sesame-open b"), std::string(jwt), "x" + std::string(own_session),
        std::string(R"({"a":"\u0073esame-open"})")}) {
    const auto kept = std::string(r.text_in(room, in));
    EXPECT_EQ(kept, text(r, in)) << in;
  }
  EXPECT_EQ(named.text_in(room, R"({"pin":"1234"})"), text(named, R"({"pin":"1234"})"));
}

/// Most texts are let pass by one look at sixteen bytes at a time: none of these, wherever they
/// are.
TEST(redaction_text, a_secret_is_seen_at_each_place_of_texts_of_each_length) {
  auto r = made();
  r.know("sesame-open");
  std::string room;
  for (const std::string& secret :
       {std::string("sesame-open"), std::string("eyJ.b.c"), std::string(own_session)})
    for (std::size_t size = 0; size < 40; ++size)
      for (std::size_t at = 0; at <= size; ++at) {
        const auto in = std::string(size, '.').insert(at, " " + secret + " ");
        const auto expected = std::string(size, '.').insert(at, " " + r.stand_in(secret) + " ");
        ASSERT_EQ(r.text_in(room, in), expected) << in;
      }
}

TEST(redaction_headers, those_that_are_secret_by_name_have_no_value) {
  auto r = made({"X-Mine"});
  r.know_header("X-Credential");
  for (const auto name : secret_headers) EXPECT_EQ(header(r, name, "v"), r.stand_in("v")) << name;
  for (const auto name : {"AUTHORIZATION", "x-mine", "X-credential"})
    EXPECT_EQ(header(r, name, "v"), r.stand_in("v")) << name;
  EXPECT_EQ(header(r, "Accept", "v"), "v");
  EXPECT_EQ(header(r, "Cookie", ""), "");
  EXPECT_EQ(header(r, "Authorization", "Bearer  abc"), "Bearer  " + r.stand_in("abc"));
  EXPECT_EQ(header(r, "authorization", "basic abc"), "basic " + r.stand_in("abc"));
  EXPECT_EQ(header(r, "Authorization", "Digest abc"), r.stand_in("Digest abc"));
  EXPECT_EQ(header(r, "Mcp-Session-Id", own_session), r.session(own_session));
  EXPECT_EQ(header(r, "X-Other", jwt), r.stand_in(jwt));
  EXPECT_EQ(header(r, "Referer", "https://a.b/?token=abc"),
            "https://a.b/?token=" + r.stand_in("abc"));
}

TEST(redaction_headers, of_proxies_and_vendors_are_known_by_a_word) {
  auto r = made();
  for (const auto name :
       {"X-Forwarded-Access-Token", "x-forwarded-authorization", "Cf-Access-Jwt-Assertion",
        "X-Auth-Request-Access-Token", "Ocp-Apim-Subscription-Key", "PRIVATE-TOKEN", "X-Csrf-Token",
        "X-Vault-Token", "X-Amzn-Oidc-Data", "X-Goog-Iap-Jwt-Assertion", "X-Secret", "X-Key",
        "X-AuthToken", "X_API_KEY", "X-ClientSecret"})
    EXPECT_EQ(header(r, name, "v"), r.stand_in("v")) << name;
  for (const auto name : {"Monkey", "Keyboard", "X-Tokens-Left", "Accept-Language", "Mcp-Method",
                          "Mcp-Name", "MCP-Protocol-Version", "Last-Event-ID", "traceparent"})
    EXPECT_EQ(header(r, name, "v"), "v") << name;
}

TEST(redaction_headers, of_arguments_are_as_the_arguments) {
  auto r = made({"pin"});
  EXPECT_EQ(header(r, "Mcp-Param-Pin", "1234"), r.stand_in("1234"));
  EXPECT_EQ(header(r, "mcp-param-PIN", "=?base64?" + base64_encode("äöü") + "?="),
            r.stand_in("äöü"));
  EXPECT_EQ(header(r, "mcp-param-pin", "=?base64?="), r.stand_in("=?base64?="));
  EXPECT_EQ(header(r, "Mcp-Param-Key", "plain"), "plain") << "the argument is there, too";
}

TEST(redaction_values, are_found_in_all_their_spellings) {
  const std::string secrets[] = {"plainsecret", "with \"quotes\" & slash/\\", "ümlaut geheim",
                                 "a/b+c=d e%f", std::string("line\nfeed\x01secret", 16)};
  for (const auto& secret : secrets) {
    auto r = made();
    r.know(secret);
    const auto in_place = [&](const std::string& spelled) {
      for (const std::string before : {"", "a", "before ", "before the sec"})
        for (const std::string after : {"", "z", " after"})
          EXPECT_EQ(text(r, before + spelled + after), before + r.stand_in(secret) + after)
              << spelled;
    };
    in_place(secret);
    const auto quoted = boost::json::serialize(boost::json::string(secret));
    in_place(quoted.substr(1, quoted.size() - 2));
    std::string percent, lower;
    for (const char c : secret) {
      char hex[4];
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) || std::strchr("-._~", c);
      std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned char>(c));
      percent += plain ? std::string(1, c) : hex;
      std::snprintf(hex, sizeof hex, "%%%02x", static_cast<unsigned char>(c));
      lower += plain ? std::string(1, c) : hex;
    }
    in_place(percent);
    in_place(lower);
    // Basic credentials, at each place of a group of three, also as base64url.
    for (const std::string user : {"", "u", "us", "use", "user:", "a longer user:"}) {
      for (const std::string behind : {"", ":", ":x", ":xyz"}) {
        const auto all = user + secret + behind;
        auto encoded = base64_encode(all);
        EXPECT_EQ(text(r, "Basic " + encoded + ", ok"), "Basic " + r.stand_in(encoded) + ", ok");
        encoded = base64url_encode(all);
        EXPECT_EQ(text(r, "(" + encoded + ")"), "(" + r.stand_in(encoded) + ")");
      }
    }
    // Escaped as nobody would, in JSON, and in JSON that is a string of JSON.
    std::string escaped = "\"";
    for (const char c : secret.substr(0, secret.find("\xC3"))) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\u%04x", static_cast<unsigned char>(c));
      escaped += hex;
    }
    if (!secret.starts_with("\xC3")) {
      escaped += secret.substr(std::min(secret.find("\xC3"), secret.size())) + "\"";
      const auto once = "{\"a\":" + escaped + ",\"b\":1}";
      EXPECT_EQ(text(r, once), "{\"a\":\"" + r.stand_in(secret) + "\",\"b\":1}");
      const auto twice = "{\"c\":" + boost::json::serialize(boost::json::string(once)) + "}";
      const auto got = boost::json::parse(text(r, twice));
      EXPECT_EQ(got.at("c").as_string(), text(r, once));
    }
  }
}

TEST(redaction_values, short_ones_are_not_looked_for) {
  auto r = made();
  r.know("1234567");
  r.learn("");
  EXPECT_EQ(text(r, "1234567"), "1234567");
}

TEST(redaction_values, the_longest_at_one_place_is_meant) {
  auto r = made();
  r.know("secret-value");
  r.know("secret-value-longer");
  EXPECT_EQ(text(r, "secret-value-longer"), r.stand_in("secret-value-longer"));
  EXPECT_EQ(text(r, "secret-value-long"), r.stand_in("secret-value") + "-long");
}

TEST(redaction_values, those_learned_first_are_forgotten_those_known_never) {
  auto r = made();
  r.know("from the environment");
  const auto nth = [](std::size_t i) { return "learned secret " + std::to_string(100000 + i); };
  for (std::size_t i = 0; i < limits::known_secrets + 1; ++i) r.learn(nth(i));
  EXPECT_EQ(text(r, nth(0)), nth(0));
  const auto last = nth(limits::known_secrets);
  EXPECT_EQ(text(r, last), r.stand_in(last));
  const auto half = nth(limits::known_secrets / 2);
  EXPECT_EQ(text(r, half), r.stand_in(half));
  EXPECT_EQ(text(r, "from the environment"), r.stand_in("from the environment"));
}

TEST(redaction_looks, tokens_and_sessions_have_stand_ins_wherever_they_stand) {
  auto r = made();
  const std::string token(jwt), id(own_session);
  for (const std::string before : {"", "x", "\"", "data: "})
    for (const std::string after : {"", "\"", ",", " x"}) {
      EXPECT_EQ(text(r, before + token + after), before + r.stand_in(token) + after);
      if (before != "x") {
        EXPECT_EQ(text(r, before + id + after), before + r.stand_in(id) + after);
      }
    }
  EXPECT_EQ(text(r, token + " " + id + " " + token),
            r.stand_in(token) + " " + r.stand_in(id) + " " + r.stand_in(token));
  const auto encrypted = "eyJhIn0.a.b.c.d";
  EXPECT_EQ(text(r, encrypted), r.stand_in(encrypted));
  for (const auto& none : std::vector<std::string>{"eyJ", "eyJ.a", "eyJa.b", "J", "yJ.a.b", "ey",
                                                   id + "4", id.substr(1), "0" + id})
    EXPECT_EQ(text(r, none), none);
}

TEST(redaction_looks, hostile_texts_take_one_pass) {
  auto r = made({"password"});
  r.know("a known secret");
  const std::size_t much = 1 << 20;
  for (const std::string piece : {"eyJ", "eyJ.", "J", "\\\"", "\"", "\"a\":", "0123456789abcdef",
                                  "eyJ.a.b ", "\"password\":", "a known secret", "\"\\u0061\""}) {
    std::string all;
    while (all.size() < much) all += piece;
    const auto from = std::chrono::steady_clock::now();
    text(r, all);
    EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(20)) << piece;
  }
}

TEST(redaction_members, by_name_in_any_depth_and_spelling) {
  auto r = made({"passWord"});
  const auto s = [&](std::string_view v) { return "\"" + r.stand_in(v) + "\""; };
  const std::pair<std::string, std::string> cases[] = {
      {R"({"password":"hunter2"})", R"({"password":)" + s("hunter2") + "}"},
      {R"({"PASSWORD" : "hunter2","a":1})", R"({"PASSWORD" : )" + s("hunter2") + R"(,"a":1})"},
      {R"({"p\u0061ssword":"hunter2"})", R"({"p\u0061ssword":)" + s("hunter2") + "}"},
      {R"({"password":"h\u0075nter2"})", R"({"password":)" + s("hunter2") + "}"},
      {R"({"password":12,"b":2})", R"({"password":)" + s("12") + R"(,"b":2})"},
      {R"({"password":null})", R"({"password":null})"},
      {R"({"password":[1,{"a":"]"}],"c":"d"})",
       R"({"password":)" + s(R"([1,{"a":"]"}])") + R"(,"c":"d"})"},
      {R"([{"a":{"password":{"x":1}}}])", R"([{"a":{"password":)" + s(R"({"x":1})") + "}}]"},
      {R"({"other":"password"})", R"({"other":"password"})"},
      {R"({"a":"password","b":1})", R"({"a":"password","b":1})"},
      {"event: a\"b\ndata: {\"password\":\"hunter2\"}\n\n",
       "event: a\"b\ndata: {\"password\":" + s("hunter2") + "}\n\n"},
      // Cut off, or no JSON at all.
      {R"({"password":"hunter2)", R"({"password":)" + s("\"hunter2")},
      {R"({"password":hunter2})", R"({"password":)" + s("hunter2}")},
      {R"("{"password":"hunter2"})", R"("{"password":)" + s("hunter2") + "}"},
      {"{\"password\":\"hun\nter2\"}", "{\"password\":" + s("\"hun\nter2\"") + "}"},
      {"{\"password\": {\n \"a\":\"}\",\n},\n}",
       "{\"password\": " + s("{\n \"a\":\"}\",\n}") + ",\n}"},
      {"{\"password\": [\n \"a\" oops\n</p>", "{\"password\": " + s("[\n \"a\" oops\n</p>")},
      {"{\"password\": [\n \"a\\\"]", "{\"password\": " + s("[\n \"a\\\"]")},
      {"{\"password\": maybe\n,\"a\":1}", "{\"password\": " + s("maybe") + "\n,\"a\":1}"},
  };
  for (const auto& [in, out] : cases) EXPECT_EQ(text(r, in), out) << in;
}

TEST(redaction_members, of_events_on_however_many_lines) {
  auto r = made({"password"});
  const auto stream = [&](std::string_view in) {
    std::string room;
    return std::string(r.stream_in(room, in));
  };
  const auto s = [&](std::string_view v) { return "\"" + r.stand_in(v) + "\""; };
  EXPECT_EQ(
      stream(
          "id: 1\ndata: {\"a\":1,\ndata: \"password\": {\ndata: \"x\":\"hunter2\"\ndata: }\ndata: "
          "}\n\nid: 2\ndata: {\"b\":\"password\"}\n\n"),
      "id: 1\ndata: {\"a\":1,\ndata: \"password\": " + s("{\n\"x\":\"hunter2\"\n}") +
          "\ndata: }\n\nid: 2\ndata: {\"b\":\"password\"}\n\n");
  EXPECT_EQ(stream("data: \"password\":\ndata: \"hunter2\"\n\n"),
            "data: \"password\":\ndata: " + s("hunter2") + "\n\n");
  for (const std::string in :
       {"", ": alive\n\n", "id: 1\ndata: \n\n", "data: a\ndata: \ndata: b\n\n", "data: cut",
        "data: a\n", "retry: 1\nid: x\ndata:\n\n"})
    EXPECT_EQ(stream(in), in);
  auto nameless = made();
  std::string room;
  EXPECT_EQ(nameless.stream_in(room, "data: {\"password\":\ndata: 1}\n\n"),
            "data: {\"password\":\ndata: 1}\n\n");
}

TEST(redaction_members, in_json_that_is_a_string_of_json) {
  auto r = made({"password"});
  std::string inner = R"({"password":"hunter2","a":"b\n"})";
  const auto expected = R"({"password":")" + r.stand_in("hunter2") + R"(","a":"b\n"})";
  for (std::size_t depth = 1; depth < limits::redaction_depth; ++depth) {
    inner = R"({"text":)" + boost::json::serialize(boost::json::string(inner)) + "}";
    auto got = boost::json::parse(text(r, inner));
    for (std::size_t i = 1; i < depth; ++i) got = boost::json::parse(got.at("text").as_string());
    EXPECT_EQ(got.at("text").as_string(), expected);
  }
}

TEST(redaction_verbatim, what_is_no_secret_stays_byte_for_byte) {
  auto r = made({"password"});
  r.know("from \"the\" environment");
  for (const std::string in :
       {R"({"jsonrpc":"2.0","id":1,"params":{"a":"b\u00e4\/\n","c":[1.50,-0,1e5]}})", "", "\"",
        "\\", "\\\"", "\"\\", "{\"a\":\"\\ud800\"}", "\xff\xfe\x00z", "data: x\r\n\r\n"})
    EXPECT_EQ(text(r, in), in);
  EXPECT_EQ(url(r, "/mcp"), "/mcp");
  EXPECT_EQ(url(r, "/mcp?a=%2F&b&=&c=&&d=1&"), "/mcp?a=%2F&b&=&c=&&d=1&");
  EXPECT_EQ(url(r, "/mcp?"), "/mcp?");
}

TEST(redaction_urls, parameters_user_information_and_values) {
  auto r = made({"mine"});
  r.know("p&ss word/secret");
  for (const auto name : secret_parameters)
    EXPECT_EQ(url(r, "/a?b=1&" + std::string(name) + "=x%20y&c"),
              "/a?b=1&" + std::string(name) + "=" + r.stand_in("x y") + "&c");
  for (const auto name :
       {"tavilyApiKey", "auth_token", "x-api-key", "subscription-key", "jwt", "bearer",
        "X-Amz-Signature", "X-Amz-Credential", "secretKey", "accessKey", "pwd"})
    EXPECT_EQ(url(r, "/a?" + std::string(name) + "=x"),
              "/a?" + std::string(name) + "=" + r.stand_in("x"));
  EXPECT_EQ(url(r, "/a?keyboard=x&tokens=2&maxTokens=3"), "/a?keyboard=x&tokens=2&maxTokens=3");
  EXPECT_EQ(url(r, "https://h/a?b=1;access_token=x#c=2&token=y"),
            "https://h/a?b=1;access_token=" + r.stand_in("x") + "#c=2&token=" + r.stand_in("y"));
  EXPECT_EQ(header(r, "X-Forwarded-Uri", "/cb?api_key=x"), "/cb?api_key=" + r.stand_in("x"));
  EXPECT_EQ(header(r, "Link", "<https://h/?a=1>; rel=next, <https://u:PW@h/?access_token=x>"),
            "<https://h/?a=1>; rel=next, <https://" + r.stand_in("u:PW") +
                "@h/?access_token=" + r.stand_in("x") + ">");
  EXPECT_EQ(header(r, "User-Agent", "bot (+https://bot.example; ops@bot.example)"),
            "bot (+https://bot.example; ops@bot.example)");
  EXPECT_EQ(header(r, "X-Original-URL", "https://h/?access_token=x"),
            "https://h/?access_token=" + r.stand_in("x"));
  EXPECT_EQ(url(r, "https://h/a?MINE=x"), "https://h/a?MINE=" + r.stand_in("x"));
  EXPECT_EQ(url(r, "https://h/a?%6dine=x"), "https://h/a?%6dine=" + r.stand_in("x"));
  EXPECT_EQ(url(r, "redis://user:pw@h:1/0"), "redis://" + r.stand_in("user:pw") + "@h:1/0");
  EXPECT_EQ(url(r, "https://h/a@b"), "https://h/a@b");
  EXPECT_EQ(url(r, "/p%26ss%20word%2Fsecret/x"), "/" + r.stand_in("p&ss word/secret") + "/x");
  EXPECT_EQ(url(r, "/?q=p%26ss+word%2fsecret"), "/?q=" + r.stand_in("p&ss word/secret"));
  EXPECT_EQ(url(r, "/?q=%70%26ss+word%2fsecret"), "/?q=" + r.stand_in("p&ss word/secret"));
}

TEST(redaction_tokens, of_token_endpoints_all_but_the_secrets_stays) {
  auto r = made({"mine"});
  std::string out;
  r.form(out, "grant_type=client_credentials&client_id=a&client_secret=s%20t&mine=1&scope=a+b");
  EXPECT_EQ(out, "grant_type=client_credentials&client_id=a&client_secret=" + r.stand_in("s t") +
                     "&mine=" + r.stand_in("1") + "&scope=a+b");
  for (const auto name : secret_fields) {
    out.clear();
    r.form(out, std::string(name) + "=value-of-it");
    EXPECT_EQ(out, std::string(name) + "=" + r.stand_in("value-of-it"));
    out.clear();
    r.token_answer(out, R"({")" + std::string(name) + R"(":"opaque-token","expires_in":60})",
                   false);
    EXPECT_EQ(out, R"({")" + std::string(name) + R"(":")" + r.stand_in("opaque-token") +
                       R"(","expires_in":60})");
  }
  EXPECT_EQ(text(r, "opaque-token"), "opaque-token");
  out.clear();
  r.token_answer(out, R"({"access_token":"opaque-token","token_type":"Bearer"})", true);
  EXPECT_EQ(out,
            R"({"access_token":")" + r.stand_in("opaque-token") + R"(","token_type":"Bearer"})");
  EXPECT_EQ(text(r, "it is opaque-token!"), "it is " + r.stand_in("opaque-token") + "!");
}

TEST(redaction_tokens, say_who_but_not_how) {
  auto r = made();
  const auto made_of = [](std::string_view header, std::string_view claims) {
    return base64url_encode(header) + "." + base64url_encode(claims) + ".c2lnbmF0dXJl";
  };
  const auto good = made_of(R"({"alg":"ES256","kid":"k","typ":"at+jwt","jwk":{}})",
                            R"({"iss":"i","sub":"s","groups":["a"],"exp":1})");
  EXPECT_EQ(boost::json::parse(r.token(good)),
            boost::json::parse(R"({"secret":")" + r.stand_in(good) +
                               R"(","alg":"ES256","kid":"k","typ":"at+jwt",)"
                               R"("claims":{"iss":"i","sub":"s","groups":["a"],"exp":1}})"));
  for (const std::string& bad :
       {std::string("opaque"), std::string("a.b.c"), std::string(""), made_of("[]", "{}"),
        made_of("{}", "1"), made_of("{", "{}"), made_of("{}{}", "{}")})
    EXPECT_EQ(r.token(bad), R"({"secret":")" + r.stand_in(bad) + "\"}") << bad;
  // A token in a claim of a token.
  const auto nested = made_of(R"({"alg":"none"})", R"({"act":")" + std::string(jwt) + "\"}");
  EXPECT_EQ(r.token(nested).find(jwt), std::string::npos);
  EXPECT_EQ(r.token_of_form("grant_type=x&assertion=" + good), r.token(good));
  EXPECT_EQ(r.token_of_form("grant_type=x&assertion_type=y"), "");
  EXPECT_EQ(r.token_of_form(""), "");
}

TEST(redaction_document, headers_in_it_are_secret_as_they_are_elsewhere) {
  auto r = made();
  for (const auto name : {"X-Vendor-Token", "X-Splunk-Secret", "Authorization-Custom", "x-api-key",
                          "Token", "X_API_KEY", "cookie", "apikey", "jwt", "secret", "authtoken"}) {
    std::string out;
    r.document(out, R"({"headers":{")" + std::string(name) + R"(":"of-a-vendor"}})");
    EXPECT_EQ(out, R"({"headers":{")" + std::string(name) + R"(":")" + r.stand_in("of-a-vendor") +
                       R"("}})");
  }
  for (const std::string in :
       {R"({"bearerSecretRef":"NAME","tokenUrl":"u","fleetKeyRef":"F","key":"k","signature":"s"})",
        R"({"headers":{"X-Tenant":"north","Accept":"a"}})",
        R"({"keys":[{"kty":"EC","key_ops":["verify"],"kid":"k"}]})",
        R"({"claims":{"token_use":"access"},"labels":{"cost-key":"k42","token-tier":"gold"}})",
        R"({"headers":{"X-Tenant":"north"},"API-Token":"not in headers"})"}) {
    std::string out;
    r.document(out, in);
    EXPECT_EQ(out, in);
  }
}

TEST(redaction_document, urls_in_it_have_no_passwords) {
  auto r = made();
  r.know("known-by-value");
  std::string out;
  r.document(
      out,
      R"({"server":{"redisUrl":"redis:\/\/:pw@h:1"},"u":["https://h/?api_key=k&a=1"],"v":"known-by-value"})");
  EXPECT_EQ(boost::json::parse(out),
            boost::json::parse(R"({"server":{"redisUrl":"redis://)" + r.stand_in(":pw") +
                               R"(@h:1"},"u":["https://h/?api_key=)" + r.stand_in("k") +
                               R"(&a=1"],"v":")" + r.stand_in("known-by-value") + "\"}"));
}

}  // namespace
}  // namespace gate::recording
