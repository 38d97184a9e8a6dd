// Key sets, as an issuer may answer anything: each key that is kept fits an algorithm and can be
// asked; and thumbprints of any key.
#include <openssl/err.h>

#include "protocol/limits.hpp"
#include "protocol/oauth/jws.hpp"
#include "protocol/oauth/signer.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
using oauth::algorithm;

namespace {

constexpr std::initializer_list<algorithm> algorithms{
    algorithm::rs256, algorithm::rs384, algorithm::rs512, algorithm::es256,
    algorithm::es384, algorithm::es512, algorithm::eddsa};

void ask(const oauth::key_set& set, const oauth::verification_key& key) {
  int fitting = 0;
  for (auto a : algorithms) {
    if (!fits(key, a)) continue;
    ++fitting;
    require(!key.only || *key.only == a, "a key for another algorithm");
    const auto* found = set.find(key.kid, a);
    require(key.kid.empty() || (found && found->kid == key.kid), "a key that is not found");
    oauth::jws text;
    text.algorithm = a;
    text.signed_part = "a.b";
    text.signature.assign(a == algorithm::es512 ? 132 : a == algorithm::es384 ? 96 : 64, '\x11');
    require(!verify(text, key), "a signature out of nothing");
  }
  require(fitting == 1 || fitting == 3, "a key of no kind");
  require(key.kid.size() <= limits::key_name_bytes && set.knows(key.kid), "a name");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto print = oauth::thumbprint(text);
  require(print.empty() || print.size() == 43, "a thumbprint of another length");
  const auto set = oauth::read_key_set(text);
  require(!set || set->keys().size() <= limits::key_set_keys, "the size");
  if (set && set->keys().size() < 10)
    for (const auto& key : set->keys()) ask(*set, key);
  require(ERR_peek_error() == 0, "an error is left for the next user of OpenSSL");
  return 0;
}
