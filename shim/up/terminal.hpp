#pragma once
/// Asks for what a client's file leaves to whoever starts its servers: on the terminal, secrets
/// without showing them. Boot only.
#include <map>
#include <optional>
#include <string>

#include "config/clients/server_entry.hpp"

namespace gate::up {

class terminal {
 public:
  /// Each is asked once. Nothing: there is no terminal, or it has ended.
  std::optional<std::string> ask(const clients::input& what);
  /// From now on nobody is asked: what was answered holds.
  void close() { closed_ = true; }

 private:
  std::map<std::string, std::string> answers_;
  bool closed_ = false;
};

}  // namespace gate::up
