#pragma once
/// Heads that clients of a replay have sent: who sends the same again, sends the same head, as
/// INGRESS knows one again that it has read.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/limits/playback.hpp"
#include "simulations/world/fake_exchange.hpp"

namespace gate::replay {

class sent_heads {
 public:
  /// `lines`: without CRLF. `refused`: by the strict gate.
  http::head_ptr of(verb method, std::string_view target, const std::vector<std::string>& lines,
                    bool refused);

 private:
  std::unordered_map<std::string, http::head_ptr> known_;  ///< by all of it
  std::string all_;                                        ///< used again and again
};

}  // namespace gate::replay
