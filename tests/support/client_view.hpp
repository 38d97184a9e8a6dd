#pragma once
/// What a client reads in a message, without what is only the sender's own: ids, states, keys of
/// questions, the order of members, how long a result holds, and who the server was. Two servers
/// that say the same are the same to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json/scan.hpp"
#include "simulations/world/client.hpp"

namespace gate::sim {

/// `f(key with its quotes, value)` for each member of a raw object.
template <class F>
void each_entry(std::string_view object, F&& f) {
  json::cursor c(object, {});
  if (c.peek() != '{') return;
  json::members(c, [&](std::string_view key, json::cursor& at) {
    at.peek();
    f('"' + std::string(key) + '"', at.value(1));
  });
}

/// Questions of a stateless server, under whatever keys.
inline void note_questions(std::string_view requests, std::vector<std::string>& out) {
  each_entry(requests, [&](auto, std::string_view q) {
    out.push_back("asked " + at(q, "method") + " " + at(q, "params"));
  });
}

/// A question, an answer, or a notification, as it is whoever has said it.
inline void note_seen(std::string_view text, std::vector<std::string>& out) {
  if (const auto method = at(text, "method"); !method.empty()) {
    out.push_back(method + " " + at(text, "params"));
    return;
  }
  if (const auto error = at(text, "error"); !error.empty()) {
    out.push_back("error " + error);
    return;
  }
  const auto result = at(text, "result");
  if (at(result, "resultType") == R"("input_required")") {
    EXPECT_NE(at(result, "requestState"), "");
    return note_questions(at(result, "inputRequests"), out);
  }
  std::vector<std::string> members;
  each_entry(result, [&](std::string_view key, std::string_view value) {
    if (key == R"("resultType")" || key == R"("ttlMs")" || key == R"("cacheScope")") return;
    if (key == R"("inputRequests")") return note_questions(value, out);
    if (key != R"("_meta")")
      return members.push_back(" " + std::string(key) + ":" + std::string(value));
    // Which server it was, or that it was the gateway, is not what it says.
    each_entry(value, [&](std::string_view name, std::string_view of_meta) {
      if (name != R"("io.modelcontextprotocol/serverInfo")")
        members.push_back(" _meta " + std::string(name) + ":" + std::string(of_meta));
    });
  });
  std::sort(members.begin(), members.end());
  out.emplace_back("result");
  for (const auto& member : members) out.back() += member;
}

/// All that has come for a request.
inline void note_seen(const receipt_ptr& r, std::vector<std::string>& out) {
  const auto events = r->events();
  for (const auto& e : events) note_seen(e, out);
  if (events.empty() && !r->body.empty()) note_seen(r->body, out);
}

}  // namespace gate::sim
