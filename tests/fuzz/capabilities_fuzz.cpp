// What peers declare in `initialize`, and the templates that servers list: read without harm, and
// what is made of it is valid and says the same.
#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/capability_profile.hpp"
#include "protocol/mcp/server_features.hpp"
#include "protocol/mcp/uri_template.hpp"
#include "protocol/mcp/versions.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  for (auto version : mcp::session_versions) {
    const auto features = mcp::read_features(text, version);
    const auto said = mcp::declare(features, version);
    require(json::validate(said) == json::fault::none, "an invalid declaration");
    require((mcp::read_features(said, version).bits() | features.bits()) == features.bits(),
            "more declared than there is");
  }
  const auto profile = mcp::read_profile(text);
  const auto declared = mcp::profile_capabilities(profile);
  require(json::validate(declared) == json::fault::none, "an invalid profile");
  require(mcp::read_profile(declared) == profile, "a profile that reads otherwise");
  const auto half = text.size() / 2;
  if (size < 2000) mcp::matches_template(text.substr(0, half), text.substr(half));
  require(mcp::matches_template("x://" + std::string("{+rest}"), "x://" + std::string(text)),
          "a template that takes everything does not");
  return 0;
}
