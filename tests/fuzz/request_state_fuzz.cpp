// What clients hand back of calls that wait for them: states, and the params around them.
#include <algorithm>
#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"
#include "protocol/mcp/stateless/request_state.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
using namespace gate::mcp;

namespace {

constexpr stateless::state_key key{1, 2, 3};

void states(std::string_view text) {
  require(!stateless::open(text, key), "what nobody sealed opens");
  stateless::unit_of_state(text);
  stateless::request_state s;
  stateless::state_nonce nonce{};
  s.unit = text.empty() ? 0 : static_cast<std::uint8_t>(text[0]);
  for (const char c : text) s.call = s.call * 31 + static_cast<unsigned char>(c);
  s.round = static_cast<std::uint32_t>(text.size());
  s.expires = s.call * 7;
  for (std::size_t i = 0; i < std::min(text.size(), s.binding.size()); ++i)
    s.binding[i] = static_cast<std::uint8_t>(text[i]);
  for (std::size_t i = 0; i < nonce.size(); ++i)
    nonce[i] = static_cast<std::uint8_t>(s.call >> i * 5);
  const auto sealed = stateless::seal(s, key, nonce);
  require(stateless::open(sealed, key) == s, "a sealed state does not open");
  require(stateless::unit_of_state(sealed) == s.unit, "a state does not name its unit");
  if (text.size() < 2) return;
  auto forged = sealed;
  forged[static_cast<unsigned char>(text[0]) % forged.size()] = text[1];
  require(stateless::open(forged, key).has_value() == (forged == sealed), "a forged state opens");
}

void params(std::string_view text) {
  const auto unit = stateless::unit_named_in(text);
  require(!unit || text.find("requestState") != text.npos, "a unit that nobody named");
  if (json::validate(text, {json::deepest, false}) != json::fault::none) return;
  const auto lasting = stateless::lasting_params(text);
  require(stateless::lasting_params(lasting) == lasting, "what lasts does not last");
  require(!stateless::read_attempt(lasting).again(), "what an attempt adds lasts");
  if (!text.empty() && json::validate(text) == json::fault::none)
    require(json::validate(stateless::asked_params(text)) == json::fault::none,
            "params of a question are no JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  states(text);
  params(text);
  return 0;
}
