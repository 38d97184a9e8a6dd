#pragma once
/// Helpers of the configuration tests: documents are written as a base and a merge patch (RFC
/// 7386), so that each case shows only what it is about.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "config/validate.hpp"
#include "protocol/oauth/principal.hpp"
#include "simulations/peers/source_path.hpp"

namespace gate::config::testing {

namespace bj = boost::json;

inline void merge(bj::value& target, const bj::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  for (const auto& [key, value] : patch.get_object()) {
    if (value.is_null()) {
      target.get_object().erase(key);
    } else {
      merge(target.get_object()[key], value);
    }
  }
}

/// One upstream and nothing else.
inline constexpr std::string_view plain =
    R"({"upstreams": [{"id": "a", "url": "http://127.0.0.1:9001/mcp"}]})";
/// Two upstreams, and callers are known.
inline constexpr std::string_view secured = R"({
  "upstreams": [{"id": "a", "url": "http://127.0.0.1:9001/mcp", "namespace": "a"},
                {"id": "b", "url": "http://127.0.0.1:9002/mcp", "namespace": "b"}],
  "auth": {"mode": "required", "resource": "https://mcp.example.com/mcp",
           "issuers": [{"issuer": "https://login.example.com"}]}})";

inline std::string patched(std::string_view base, std::string_view patch) {
  auto document = bj::parse({base.data(), base.size()});
  merge(document, bj::parse({patch.data(), patch.size()}));
  return bj::serialize(document);
}

/// A document whose only upstream has these members besides its id.
inline std::string upstream_with(std::string_view members) {
  return R"({"upstreams": [{"id": "a", )" + std::string(members) + "}]}";
}

inline std::vector<std::string> lines(const std::vector<config_problem>& problems) {
  std::vector<std::string> out;
  for (const auto& p : problems) out.push_back(to_line(p));
  return out;
}

/// Is there a problem at exactly `pointer` whose sentence contains `part`?
inline ::testing::AssertionResult has(const std::vector<config_problem>& problems,
                                      std::string_view pointer, std::string_view part) {
  for (const auto& p : problems) {
    if (p.pointer == pointer && p.what.find(part) != std::string::npos) {
      return ::testing::AssertionSuccess();
    }
  }
  auto out = ::testing::AssertionFailure() << "no \"" << part << "\" at " << pointer << " in:";
  for (const auto& p : problems) out << "\n  " << to_line(p);
  return out;
}

/// A base document and a patch; with a pointer it must be refused there, without it must be good.
struct rule_case {
  std::string_view base;
  std::string patch;
  std::string pointer = {};
  std::string part = {};
};

inline void PrintTo(const rule_case& c, std::ostream* out) {
  *out << c.patch;
}

inline void expect_rule(const rule_case& c) {
  auto p = load(patched(c.base, c.patch));
  if (c.pointer.empty()) {
    EXPECT_EQ(lines(p.problems), std::vector<std::string>{}) << c.patch;
  } else {
    EXPECT_TRUE(has(p.problems, c.pointer, c.part)) << c.patch;
    EXPECT_EQ(p.problems.size(), 1U) << c.patch;
  }
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Golden files are rewritten instead of compared when the developer asks for it.
inline bool updating() {
  return std::getenv("GATE_UPDATE_GOLDEN") != nullptr;
}

inline void write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A verified caller whom selectors may mean.
inline oauth::principal someone(std::string_view claims = "{}") {
  oauth::principal out;
  out.issuer = "https://i";
  out.subject = "ann";
  out.groups = {"dev", "ops"};
  out.claims = claims;
  out.key = 1;
  return out;
}

}  // namespace gate::config::testing
