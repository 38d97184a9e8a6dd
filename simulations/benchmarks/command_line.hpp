#pragma once
/// The command lines of the benchmarks' programs: tables of options, as those of gate.
#include <cstdio>
#include <cstdlib>
#include <variant>

#include "config/options/options.hpp"

namespace bench {

/// The options of `main`. Whoever asks for help gets it; for whoever is wrong the program ends with
/// 2. `O::help`: that it was asked for.
template <class O>
O read_options(const gate::config::program<O>& p, int argc, char** argv) {
  auto parsed = gate::config::parse(
      p, {const_cast<const char* const*>(argv) + 1, static_cast<std::size_t>(argc - 1)});
  if (const auto* wrong = std::get_if<gate::config::usage_error>(&parsed)) {
    std::fprintf(stderr, "%s: %s\n", std::string(p.name).c_str(), wrong->what.c_str());
    std::exit(2);
  }
  auto& out = std::get<O>(parsed);
  if (out.help) {
    std::fputs(gate::config::help_of(p).c_str(), stdout);
    std::exit(0);
  }
  return std::move(out);
}

inline constexpr std::string_view exit_codes = "0 ok, 1 failed, 2 usage error";

}  // namespace bench
