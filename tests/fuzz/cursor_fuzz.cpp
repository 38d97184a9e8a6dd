// Everything that clients hand back to us opaque: cursors, session ids, federated names.
#include <cstring>
#include <string>

#include "protocol/mcp/cursor.hpp"
#include "protocol/mcp/names.hpp"
#include "protocol/mcp/session_id.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void cursors(std::string_view text) {
  constexpr mcp::cursor_key key{1, 2, 3};
  if (auto content = mcp::open(text, key))
    require(mcp::seal(*content, key) == text, "two spellings");
  if (text.size() < 27) return;
  mcp::cursor_content content;
  content.list = static_cast<std::uint8_t>(text[0]);
  std::memcpy(&content.offset, text.data() + 1, 8);
  std::memcpy(&content.digest, text.data() + 9, 8);
  std::memcpy(&content.principal, text.data() + 17, 8);
  auto sealed = mcp::seal(content, key);
  require(mcp::open(sealed, key) == content, "a sealed cursor does not open");
  auto forged = sealed;
  forged[static_cast<unsigned char>(text[25]) % forged.size()] = text[26];
  require(mcp::open(forged, key).has_value() == (forged == sealed), "a forged cursor opens");
}

void names(std::string_view text) {
  auto found = mcp::split(text, "__");
  if (!found) return;
  require(std::string(found->space) + "__" + std::string(found->bare) == text,
          "parts and name differ");
  require((std::string(found->space) + '_').find("__") == std::string::npos ||
              found->space.ends_with('_') || found->space.find("__") == std::string::npos,
          "not the first separator");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  cursors(text);
  names(text);
  if (auto unit = mcp::unit_of(text)) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", *unit);
    require(text.size() == 34 && text.ends_with(digits), "a unit that the id does not name");
  }
  return 0;
}
