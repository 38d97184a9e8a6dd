#pragma once
/// What `gate doctor` prints: findings as lines for people, or as JSON; never a secret. Pure.
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/doctor/finding.hpp"

namespace gate::doctor {

/// Takes secrets out of texts: servers may say again what they were sent.
class discretion {
 public:
  explicit discretion(std::vector<std::string> secrets) { add(std::move(secrets)); }
  /// Further ones, before anybody who knows them is quoted.
  void add(std::vector<std::string> secrets);
  std::string without(std::string_view text) const;
  /// The same findings, without a secret in any of their texts.
  findings without(findings of) const;

 private:
  std::vector<std::string> secrets_;  ///< longest first
};

bool has_errors(std::span<const finding> of);
/// One line each, and one that counts them.
std::string as_lines(std::span<const finding> of);
std::string as_json(std::span<const finding> of);

}  // namespace gate::doctor
