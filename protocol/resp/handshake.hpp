#pragma once
/// How a connection to the store begins: who we are, which language, which database, and whether
/// there is a store at the other end at all. Pure: it says what to send, and is given what comes.
///
///   hello --map--> select* --ok--> ping --PONG--> ready
///     | any other refusal: the server is too old for RESP3, or does not let us
///     +--> auth* --ok--> select* --ok--> ping --PONG--> ready, with RESP2
///   (* left out if there is nothing to say)
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/resp/store_url.hpp"
#include "protocol/resp/value.hpp"

namespace gate::resp {

enum class dialect : std::uint8_t { resp2, resp3 };

class handshake {
 public:
  enum class state : std::uint8_t { hello, auth, select, ping, ready, failed, loading };

  /// `most`: what the connection is to speak at best.
  explicit handshake(const store_url& to, dialect most = dialect::resp3);

  /// What to send now; empty: nothing, it is over. Given once.
  std::string take_output();
  void heard(const value& v);

  state now() const { return state_; }
  bool over() const { return state_ >= state::ready; }
  /// What is spoken from now on.
  dialect speaks() const { return speaks_; }
  /// Of one that failed, or of a store that loads: why, and what to do. Nothing that the server
  /// said is in it: servers repeat what they were told, passwords among it.
  std::string_view why() const { return why_; }

 private:
  void hello();
  void auth();
  void select();
  void ping();
  void on_hello(const value& v);
  void refused(const value& v);
  void fail(std::string_view why);

  const store_url& to_;
  dialect speaks_;
  state state_ = state::hello;
  std::string output_;
  std::string_view why_;
};

}  // namespace gate::resp
