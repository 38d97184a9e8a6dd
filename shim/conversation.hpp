#pragma once
/// Which stream a message of the server belongs to. Standard output knows no streams: requests in
/// flight are known by their ids and progress tokens, and what carries neither belongs to the one
/// request that is in flight, if it is the only one. Pure; part of SESSION.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/jsonrpc/message.hpp"

namespace gate::shim {

/// Do two raw ids (or tokens) mean the same? Strings may be escaped in different ways; `1` and
/// `"1"` differ.
bool same_id(std::string_view a, std::string_view b);

class conversation {
 public:
  /// A request in flight, never reused.
  using number = std::uint64_t;

  bool has(std::string_view raw_id) const { return find(raw_id) != nullptr; }
  std::size_t size() const { return open_.size(); }
  /// Has a request in flight the progress token of this one? Whose the progress is could not be
  /// told. `1` and `"1"` differ; `1` and `1.0` do not: servers read numbers before they repeat
  /// them.
  bool has_token_of(const jsonrpc::message& request) const;
  /// A request of the client; neither `has(raw_id)` nor `has_token_of(request)` may hold.
  number add(const jsonrpc::message& request);
  /// It was answered, or cancelled: forgets it.
  std::optional<number> take(std::string_view raw_id);

  enum class place : std::uint8_t {
    request,  ///< the stream of `of`
    own,      ///< the session's own stream
  };
  struct destination {
    place where = place::own;
    number of = 0;
    bool operator==(const destination&) const = default;
  };
  /// Of a request or notification of the server. `hears(number)`: somebody listens to what is said
  /// to this request, or may come back for it; one to which nobody does is none.
  destination place_of(const jsonrpc::message& m, const std::function<bool(number)>& hears) const;

 private:
  struct entry {
    number it;
    std::string id;
    std::string token;  ///< its value; empty: none
  };
  const entry* find(std::string_view raw_id) const;
  const entry* find_token(std::string_view value) const;

  std::vector<entry> open_;  ///< a handful; at most `limits::session_calls`
  number next_ = 1;
};

}  // namespace gate::shim
