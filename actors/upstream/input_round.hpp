#pragma once
/// What a server of the stateless generation wants to know before it answers a call, and what the
/// client has answered so far. Plain data of a piece of work.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gate::upstream {

struct input_round {
  struct request {
    std::string key;     ///< raw, without its quotes
    std::string id;      ///< of our request to the client, raw
    std::string answer;  ///< raw result object, once it is there
    bool open = true;
  };
  std::size_t number = 0;     ///< rounds so far, this one included
  std::uint64_t session = 0;  ///< its name towards ROUTER when it asked
  bool pausing = false;       ///< nothing is asked: it is called again in a moment
  std::vector<request> requests;
  std::string state;      ///< raw JSON string, or empty
  std::size_t bytes = 0;  ///< of the answers

  bool complete() const {
    for (const auto& r : requests)
      if (r.open) return false;
    return true;
  }
  /// The members of `inputResponses`; empty: nothing was asked.
  std::string answers() const {
    std::string out;
    for (const auto& r : requests)
      out.append(out.empty() ? "\"" : ",\"").append(r.key).append("\":").append(r.answer);
    return out;
  }
};

}  // namespace gate::upstream
