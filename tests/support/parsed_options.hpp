#pragma once
/// What a program makes of its arguments: its options, or what is wrong with them.
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "config/options/options.hpp"

namespace gate::testing {

using words = std::vector<const char*>;

/// Of arguments that are good.
template <auto Parse>
auto good_options(const words& args) {
  auto r = Parse(args);
  using options = std::variant_alternative_t<0, decltype(r)>;
  if (const auto* e = std::get_if<config::usage_error>(&r)) {
    ADD_FAILURE() << e->what;
    return options{};
  }
  return std::get<options>(std::move(r));
}

/// What is said of those that are not.
template <auto Parse>
std::string bad_options(const words& args) {
  const auto r = Parse(args);
  if (const auto* e = std::get_if<config::usage_error>(&r)) return e->what;
  ADD_FAILURE() << "accepted";
  return {};
}

}  // namespace gate::testing
