#pragma once
/// ARRIVALS: what EGRESS brings: each end of a fetch and each event goes to whom it is for. Part of
/// UPSTREAM SESSION, of the generation of the protocol that has sessions.
#include "actors/upstream/session_rules.hpp"

namespace gate::upstream {

class arrivals {
 public:
  arrivals(session_state& s, session_rules& r) : s_(s), r_(r) {}

  void on(const fetched& f);
  void on(streamed& m);
  /// It has lasted too long, and is given up.
  void late(std::uint64_t id);
  /// A pause is over after which it is gone on with.
  void resume(std::uint64_t id);

 private:
  void on_event(std::uint64_t id, const std::string& session_id, sse::event& e);
  void on_notice_end(const pending& p, const fetched& f);
  void on_message(pending& p, std::uint64_t id, std::shared_ptr<const std::string> text);
  void linger(pending& p);

  session_state& s_;
  session_rules& r_;
};

}  // namespace gate::upstream
