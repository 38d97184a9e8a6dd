#pragma once
/// What a session of the generation of the protocol that has sessions knows beside
/// session_basics.hpp: its parts, which know nothing of each other. The rules about them are in
/// session_rules.hpp.
#include <memory>
#include <optional>

#include "actors/upstream/conversation.hpp"
#include "actors/upstream/greeting.hpp"
#include "actors/upstream/own_stream.hpp"
#include "actors/upstream/progress_tokens.hpp"
#include "actors/upstream/session_basics.hpp"

namespace gate::upstream {

struct session_state : session_basics {
  using session_basics::session_basics;

  enum class phase : std::uint8_t { closed, opening, ready };

  /// Can work be sent at once?
  bool takes_work() const { return now_is == phase::ready && !greets; }
  /// Is what it was sent in still the session?
  bool in_session(const pending& p) const {
    return p.epoch == talk.epoch() &&
           now_is == (p.kind == purpose::initialize ? phase::opening : phase::ready);
  }
  /// Is the server spoken to in the stateless generation? Then what is called a session here is
  /// what was learnt of it by `server/discover`: nothing of it is known there.
  bool stateless() const { return talk.agreed().era == mcp::era::stateless; }
  std::uint64_t name() const { return talk.name(number); }
  void make_headers() { talk.make_headers(credential.line()); }

  phase now_is = phase::closed;
  conversation talk;
  own_stream stream;
  std::optional<greeting> greets;             ///< set: calls wait
  std::shared_ptr<progress_tokens> progress;  ///< null: no call had a token
  bool called = false;                        ///< a call was sent in this session
  bool leaving = false;                       ///< the goodbye is on its way
  bool asked_to_leave = false;                ///< for a credential, to say goodbye with
  std::string given_up;                       ///< of a fleet's: which session of the server is lost
  std::uint64_t carried = 0;  ///< INGRESS's number of the request that is being sent; 0: of none
  bool credential_renewed = false;  ///< for the handshake, since the last one that worked
};

}  // namespace gate::upstream
