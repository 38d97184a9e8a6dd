// Published vectors, and tokens of another library, through jws, key_set, token and signer.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "protocol/base/base64url.hpp"
#include "protocol/oauth/jws.hpp"
#include "protocol/oauth/signer.hpp"
#include "protocol/oauth/token.hpp"
#include "simulations/peers/forge.hpp"
#include "simulations/peers/source_path.hpp"

namespace gate::oauth {
namespace {

namespace bj = boost::json;

/// A file of tests/protocol/oauth/data.
std::string data_file(const std::string& name) {
  std::ifstream in(source_path("tests/protocol/oauth/data/" + name), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

std::string text_at(const bj::value& v, const char* name) {
  return std::string(v.at(name).as_string());
}

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

key_set set_of(const bj::value& key) {
  auto set = read_key_set(R"({"keys":[)" + bj::serialize(key) + "]}");
  return set ? std::move(*set) : key_set({});
}

/// Does the text hold with this set, as a caller would ask?
bool holds(std::string_view compact, const key_set& keys) {
  const auto text = read_jws(compact);
  if (!text) return false;
  const auto* key = keys.find(text->kid, text->algorithm);
  return key && verify(*text, *key);
}

/// The same, but with a key that has no name, whatever the text's `kid` is.
bool holds_with_only(std::string_view compact, const key_set& keys) {
  const auto text = read_jws(compact);
  return text && keys.keys().size() == 1 && verify(*text, keys.keys().front());
}

TEST(vectors, examples_of_the_rfcs) {
  const auto file = bj::parse(data_file("rfc_examples.json"));
  for (const auto& e : file.at("good").as_array()) {
    const auto keys = set_of(e.at("key"));
    const auto compact = text_at(e, "jws");
    EXPECT_TRUE(holds(compact, keys)) << e.at("comment");
    auto forged = compact;  // every part counts
    for (std::size_t at : {std::size_t{5}, compact.find('.') + 3, compact.size() - 5}) {
      forged = compact;
      forged[at] = forged[at] == 'A' ? 'B' : 'A';
      EXPECT_FALSE(holds_with_only(forged, keys)) << e.at("comment") << at;
    }
  }
  for (const auto& e : file.at("refused").as_array())
    EXPECT_FALSE(read_jws(text_at(e, "jws")).has_value()) << e.at("comment");
}

TEST(vectors, claims_of_rfc_7515) {
  const auto file = bj::parse(data_file("rfc_examples.json"));
  const auto compact = text_at(file.at("good").at(0), "jws");
  const auto t = read_token(compact).value();
  EXPECT_EQ(t.issuer, "joe");
  EXPECT_EQ(t.expires, 1300819380);
  EXPECT_EQ(t.signed_part, compact.substr(0, compact.rfind('.')));
}

TEST(vectors, key_set_of_rfc_7517) {
  const auto file = bj::parse(data_file("rfc_examples.json"));
  const auto set = read_key_set(bj::serialize(file.at("key_set_rfc_7517_a1"))).value();
  ASSERT_EQ(set.keys().size(), 1u) << "the other is for encryption";
  EXPECT_EQ(set.keys().front().kid, "2011-04-29");
  EXPECT_EQ(set.keys().front().only, algorithm::rs256);
}

TEST(vectors, thumbprints) {
  const auto thumbprints_file = bj::parse(data_file("rfc_examples.json"));
  for (const auto& t : thumbprints_file.at("thumbprints").as_array())
    EXPECT_EQ(thumbprint(bj::serialize(t.at("key"))), text_at(t, "thumbprint")) << t.at("comment");
  const auto others = bj::parse(data_file("jwcrypto_tokens.json"));
  for (const auto& key : others.at("key_set").at("keys").as_array())
    EXPECT_EQ(thumbprint(bj::serialize(key)),
              text_at(others.at("thumbprints"), text_at(key, "kid").c_str()));
}

TEST(vectors, wycheproof_jws) {
  // Good by that suite's lights, not by ours, all because of the algorithm: PS is not accepted at
  // all, and nor is a key whose `alg` is none that RFC 7518 knows ("ES521").
  const auto refused_by_us = [](const bj::value& group) {
    const auto* alg = group.at("key").as_object().if_contains("alg");
    const auto name = alg ? std::string(alg->as_string()) : std::string();
    return name.starts_with("PS") || name == "ES521";
  };
  int good = 0, bad = 0;
  const auto groups_file = bj::parse(data_file("wycheproof_jws.json"));
  for (const auto& group : groups_file.at("groups").as_array()) {
    const auto keys = set_of(group.at("key"));
    for (const auto& t : group.at("tests").as_array()) {
      const bool expected = t.at(3).as_bool() && !refused_by_us(group);
      (expected ? good : bad) += 1;
      EXPECT_EQ(holds(std::string_view(t.at(2).as_string()), keys), expected)
          << group.at("comment") << t.at(0) << t.at(1);
    }
  }
  EXPECT_EQ(good, 18);
  EXPECT_EQ(bad, 343);
}

TEST(vectors, wycheproof_key_sets) {
  // 7 is a modulus with the ROCA weakness. Who publishes such a key is trusted all the same: it is
  // the issuer's to keep its keys well.
  const std::set<std::int64_t> accepted_by_us{7};
  const auto groups_file = bj::parse(data_file("wycheproof_jwk.json"));
  for (const auto& group : groups_file.at("groups").as_array()) {
    const auto set = read_key_set(bj::serialize(group.at("key_set")));
    const auto keys = set ? *set : key_set({});
    for (const auto& t : group.at("tests").as_array()) {
      const std::string_view compact = t.at(2).as_string();
      const auto text = read_jws(compact);
      const bool symmetric = !text;  // HS256 and its kin
      const bool expected =
          (t.at(3).as_bool() && !symmetric) || accepted_by_us.contains(t.at(0).as_int64());
      EXPECT_EQ(holds(compact, keys), expected) << t.at(0) << t.at(1);
    }
  }
}

/// Signatures over bytes that are no JWS, through the verification alone.
void check_raw(const std::string& name, int good_at_least, int bad_at_least) {
  const auto file = bj::parse(data_file(name));
  const auto alg = find_algorithm(text_at(file, "alg")).value();
  int good = 0, bad = 0;
  for (const auto& group : file.at("groups").as_array()) {
    const auto keys = set_of(group.at("key"));
    ASSERT_EQ(keys.keys().size(), 1u) << group.at("key");
    for (const auto& t : group.at("tests").as_array()) {
      const auto message = from_hex(t.at(1).as_string());
      jws text;
      text.algorithm = alg;
      text.signed_part = message;
      text.signature = from_hex(t.at(2).as_string());
      const std::string_view expected = t.at(3).as_string();
      const bool held = verify(text, keys.keys().front());
      const bool either = expected == "acceptable";
      EXPECT_TRUE(either || held == (expected == "valid")) << name << t.at(0);
      (held ? good : bad) += 1;
    }
  }
  EXPECT_GE(good, good_at_least);
  EXPECT_GE(bad, bad_at_least);
}

TEST(vectors, wycheproof_es256) {
  check_raw("wycheproof_es256.json", 170, 80);
}
TEST(vectors, wycheproof_es384) {
  check_raw("wycheproof_es384.json", 190, 80);
}
TEST(vectors, wycheproof_es512) {
  check_raw("wycheproof_es512.json", 230, 80);
}
TEST(vectors, wycheproof_eddsa) {
  check_raw("wycheproof_eddsa.json", 80, 60);
}
TEST(vectors, wycheproof_rs256) {
  check_raw("wycheproof_rs256.json", 9, 240);
}

TEST(vectors, tokens_of_another_library) {
  const auto file = bj::parse(data_file("jwcrypto_tokens.json"));
  const auto keys = read_key_set(bj::serialize(file.at("key_set"))).value();
  EXPECT_EQ(keys.keys().size(), 5u);
  const wall_time now{std::chrono::seconds(1'800'000'000)};
  const access_rules rules{"https://gate.example/mcp", "groups"};
  std::set<algorithm> seen;
  for (const auto& g : file.at("good").as_array()) {
    const auto compact = text_at(g, "token");
    const auto t = read_token(compact);
    ASSERT_TRUE(t.has_value()) << g.at("name") << t.error().what;
    EXPECT_EQ(t->claims, text_at(g, "payload"));
    EXPECT_EQ(t->type, "at+jwt");
    EXPECT_EQ(to_string(t->algorithm), text_at(g, "alg"));
    seen.insert(t->algorithm);
    principal who;
    EXPECT_EQ(check_access_token(*t, keys, rules, now, who), token_fault::none) << g.at("name");
    EXPECT_EQ(who.subject, "ada\u00e9\U0001f511");
    EXPECT_EQ(who.groups, (std::vector<std::string>{"staff", "caf\u00e9"}));
  }
  EXPECT_EQ(seen.size(), 7u);
  for (const auto& t : file.at("zeros_es256").as_array())
    EXPECT_TRUE(holds(std::string_view(t.as_string()), keys));
  for (const auto& r : file.at("refused").as_array())
    EXPECT_FALSE(read_token(text_at(r, "token")).has_value()) << r.at("name");
}

}  // namespace
}  // namespace gate::oauth
