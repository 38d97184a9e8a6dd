#include "config/options/options.hpp"

#include "config/options/nearest.hpp"

namespace gate::config::usage {
namespace {

std::string see_help(std::string_view program) {
  return "; see " + std::string(program) + " --help";
}

}  // namespace

usage_error unknown(std::string_view program, std::string_view name,
                    std::span<const std::string_view> known) {
  const auto near = nearest(name, known);
  return {"unknown option " + std::string(name) +
          (near.empty() ? "" : "; did you mean " + std::string(near) + "?") + see_help(program)};
}

usage_error stray(std::string_view program, std::string_view argument, std::string_view hint) {
  return {"unexpected argument \"" + std::string(argument) + '"' + (hint.empty() ? "" : "; ") +
          std::string(hint) + see_help(program)};
}

usage_error takes_no_value(std::string_view name) {
  return {std::string(name) + " takes no value"};
}

usage_error needs_value(std::string_view name, std::string_view placeholder) {
  return {std::string(name) + " needs a value: " + std::string(name) + ' ' +
          std::string(placeholder)};
}

usage_error wrong_value(std::string_view name, std::string_view value, std::string_view why) {
  return {std::string(name) + ": " + std::string(why) + ", found \"" + std::string(value) + '"'};
}

usage_error excluded(std::string_view one, std::string_view other) {
  return {std::string(one) + " and " + std::string(other) +
          " exclude each other: give one of them"};
}

}  // namespace gate::config::usage
