#pragma once
/// What clients of a replay show of themselves: tokens that stand for the recorded ones, in headers
/// and bodies.
#include <string>
#include <string_view>

#include "simulations/replay/counterparts.hpp"
#include "simulations/replay/stand_in_issuer.hpp"
#include "simulations/replay/tape.hpp"

namespace gate::replay {

class shown_tokens {
 public:
  shown_tokens(const tape& of, stand_in_issuer& issuer, const counterparts& names)
      : tape_(of), issuer_(issuer), names_(names) {}

  /// The value of `Authorization`. `token`: what the recording has of it.
  std::string authorization(const visit& v, const std::string& recorded,
                            std::string_view token) const;
  /// The body, with tokens that were shown in it, and what the gateway has minted meanwhile.
  std::string body(const visit& v) const;

 private:
  std::string token_for(const visit& v, std::string_view token, const std::string& shown) const;

  const tape& tape_;
  stand_in_issuer& issuer_;
  const counterparts& names_;
};

}  // namespace gate::replay
