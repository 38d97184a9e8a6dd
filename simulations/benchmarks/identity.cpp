/// bench_identity: what the checks of stage 2 cost, in microbenchmarks beside what they can not go
/// below.
///
///   bench_identity [NAME]...
///
/// Prints one JSON line for each benchmark, or those named: `ns` is the median of its rounds, and
/// `ratio` the median of its rounds divided by those of its baseline, which alternate with them so
/// that both see the same machine.
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/oauth/signer.hpp"
#include "protocol/oauth/token.hpp"
#include "simulations/benchmarks/stopwatch.hpp"

namespace {

using namespace gate::bench;
using namespace gate::oauth;

struct benchmark {
  const char* name;
  int calls;  ///< in one round: a few milliseconds
  std::function<void()> run;
  std::function<void()> baseline;  ///< none: only the time is told
};

constexpr int rounds = 101;

double round_of(const std::function<void()>& f, int calls) {
  return nanoseconds([&] {
           for (int i = 0; i < calls; ++i) f();
         }) /
         calls;
}

void measure(const benchmark& b) {
  std::vector<double> times, baseline, ratios;
  for (int i = 0; i < rounds; ++i) {
    times.push_back(round_of(b.run, b.calls));
    if (!b.baseline) continue;
    baseline.push_back(round_of(b.baseline, b.calls));
    ratios.push_back(times.back() / baseline.back());
  }
  std::printf("{\"name\":\"%s\",", b.name);
  if (b.baseline)
    std::printf("\"ratio\":%.3f,\"baseline_ns\":%.0f,", median(ratios), median(baseline));
  std::printf("\"ns\":%.0f}\n", median(times));
}

// Made for this and used nowhere else.
constexpr std::string_view pem = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7DScd+Dmv/d0Y4Zb
0BFRknKKZI6lmpdK/+ziUMbsH+KhRANCAARNn5vR2uETr5SbEROxbdVy13OrSXgS
SytKLXAHMXV9rZSW7YamOJxvGyLoJC4oaS0cEsp8vihrafWp4ZXMsrQN
-----END PRIVATE KEY-----
)";
constexpr std::string_view us = "https://gate.example/mcp";
constexpr std::string_view claims =
    R"({"iss":"https://idp.example.com/oauth2/default","sub":"00u1a2b3c4d5e6f7g8h9","aud":)"
    R"(["https://gate.example/mcp"],"iat":1800000000,"exp":1800003600,"jti":)"
    R"("AT.0123456789abcdefghijklmnopqrstuvwxyzABCDEFG","cid":"0oa1b2c3d4e5f6g7h8i9","scp":)"
    R"(["openid","profile","email"],"email":"ada.lovelace@example.com","name":"Ada Lovelace",)"
    R"("groups":["Everyone","Engineering","On call"]})";
const wall_time now{std::chrono::seconds(1'800'000'000)};

/// A token and everything that is known about it.
struct identity_world {
  signer ours = signer::from_pem(pem).value();
  std::string compact = ours.sign("at+jwt", claims);
  unverified_token token = read_token(compact).value();
  const verification_key& key = ours.keys()->keys().front();
  std::vector<unsigned char> der = der_signature();

  /// The signature as OpenSSL's interface takes it, so that the baseline converts nothing.
  std::vector<unsigned char> der_signature() const {
    std::vector<unsigned char> out{0x30, 0};
    for (auto half : {token.signature.substr(0, 32), token.signature.substr(32)}) {
      half.erase(0, std::min(half.find_first_not_of('\0'), half.size() - 1));
      if (half.front() & 0x80) half.insert(0, 1, '\0');
      out.push_back(0x02);
      out.push_back(static_cast<unsigned char>(half.size()));
      out.insert(out.end(), half.begin(), half.end());
    }
    out[1] = static_cast<unsigned char>(out.size() - 2);
    return out;
  }

  /// The least that a check of this signature can cost.
  void bare() const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    const auto* text = reinterpret_cast<const unsigned char*>(token.signed_part.data());
    EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key.key.get());
    const int held =
        EVP_DigestVerify(context, der.data(), der.size(), text, token.signed_part.size());
    EVP_MD_CTX_free(context);
    require(held == 1, "the bare verification fails");
  }
};

void add_tokens(std::vector<benchmark>& to) {
  const auto w = std::make_shared<const identity_world>();
  const auto bare = [w] { w->bare(); };
  const auto check = [w](const unverified_token& t) {
    principal who;
    require(check_access_token(t, *w->ours.keys(), {us, "groups"}, now, who) == token_fault::none,
            "the check fails");
  };
  to.push_back({"es256_verify_vs_bare", 100,
                [w] { require(verify(w->token, w->key), "the verification fails"); }, bare});
  to.push_back({"es256_check_vs_bare", 100, [w, check] { check(w->token); }, bare});
  to.push_back({"es256_read_and_check_vs_bare", 100,
                [w, check] { check(read_token(w->compact).value()); }, bare});
  to.push_back(
      {"token_read", 1000, [w] { require(read_token(w->compact).has_value(), "read"); }, {}});
  to.push_back(
      {"es256_sign", 100, [w] { require(!w->ours.sign("at+jwt", claims).empty(), "sign"); }, {}});
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<benchmark> all;
  add_tokens(all);
  const std::vector<std::string_view> wanted(argv + 1, argv + argc);
  for (const auto& b : all)
    if (wanted.empty() || std::ranges::find(wanted, b.name) != wanted.end()) measure(b);
}
