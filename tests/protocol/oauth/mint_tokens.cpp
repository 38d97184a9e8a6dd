// mint_tokens KEY.pem COUNT: prints the key set of that key, then COUNT tokens, one a line, for
// verify_tokens.py.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "protocol/oauth/signer.hpp"

using namespace gate::oauth;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::string pem{std::istreambuf_iterator<char>(in), {}};
  const auto ours = signer::from_pem(pem);
  if (!ours) {
    std::fprintf(stderr, "%s\n", ours.error().what.c_str());
    return 1;
  }
  std::printf("%s\n", ours->published().c_str());
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    minted_claims c;
    const auto jti = std::to_string(i);
    c.issuer = "https://gate.example";
    c.audience = "https://gate.example/mcp";
    c.subject = "ada \"l\" \u00e9\U0001f511";
    c.jti = jti;
    c.groups = R"(["g"])";
    c.issued_at += std::chrono::seconds(1'800'000'000);
    c.lifetime = std::chrono::seconds(600);
    std::printf("%s\n", ours->sign("at+jwt", to_json(c)).c_str());
  }
}
