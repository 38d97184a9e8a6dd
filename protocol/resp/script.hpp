#pragma once
/// A Lua script that the store runs, and the name under which it knows scripts that it has seen.
/// Made once, where it is used; shared by all who ask for it.
#include <memory>
#include <string>
#include <string_view>

namespace gate::resp {

struct script {
  std::string text;
  std::string digest;  ///< SHA-1 in lower-case hex, as EVALSHA wants it
};
using script_ptr = std::shared_ptr<const script>;

/// Throws if libcrypto has no SHA-1.
script_ptr make_script(std::string_view text);

}  // namespace gate::resp
