#pragma once
/// Recordings for tests: lines, written by hand, and what is read of them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/recording/reader.hpp"

namespace gate::recording::testing {

inline constexpr std::string_view first_line =
    R"({"gate_recording":1,"version":"0.1.0","started":"2026-11-28T06:00:00.000000Z","units":2,)"
    R"("config":{"upstreams":[{"id":"files","url":"http://files:1/mcp"},)"
    R"({"id":"web","urls":["http://w1/mcp","http://w2/mcp"]}]}})";

/// `{"t":…,"u":0,"e":…,"n":…` and what else is said.
inline std::string event_line(std::uint64_t at, std::string_view what, std::uint64_t number,
                              std::string_view more = "", std::uint64_t unit = 0) {
  return R"({"t":)" + std::to_string(at) + R"(,"u":)" + std::to_string(unit) + R"(,"e":")" +
         std::string(what) + R"(","n":)" + std::to_string(number) +
         (more.empty() ? "" : "," + std::string(more)) + "}";
}

/// A request to /mcp with this body.
inline std::string post(std::uint64_t at, std::uint64_t number, std::string_view body,
                        std::string_view more = "") {
  return event_line(at, "request", number,
                    R"("peer":"10.0.0.1","method":"POST","target":"/mcp","body":)" +
                        json::quoted(body) + (more.empty() ? "" : "," + std::string(more)));
}

inline std::string answered(std::uint64_t at, std::uint64_t number, int status,
                            std::string_view body) {
  return event_line(at, "answer", number,
                    R"("status":)" + std::to_string(status) +
                        R"(,"type":"application/json","body":)" + json::quoted(body));
}

/// `to` takes the events of these lines; the first line goes before them.
template <class Taker>
ending feed(const std::vector<std::string>& lines, Taker& to) {
  reader r;
  EXPECT_TRUE(r.take(first_line));
  to.begin(*r.first());
  for (const auto& l : lines) {
    const auto taken = r.take(l);
    EXPECT_TRUE(taken) << taken.error().what;
    if (taken && *taken) to.take(**taken);
  }
  to.finish();
  return r.end();
}

}  // namespace gate::recording::testing
