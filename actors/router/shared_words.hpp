#pragma once
/// SHARED WORDS: what instances of a fleet tell each other about a client's session that several
/// hold, beside what stands in its record. Part of SHARED SESSIONS.
#include <string>
#include <string_view>

#include "actors/router/session_search.hpp"

namespace gate::routing {

class shared_words {
 public:
  shared_words(unit& u, fleet_line& line, shared_sessions& all, fleet_peers peers)
      : unit_(u), line_(line), all_(all), peers_(peers) {}

  /// To all that are known to hold it. Told at most once.
  void tell(sessions::client_session& s, fleet::session_word word);
  /// An upstream has said something to a client that does not listen here.
  void pass_on(sessions::client_session& s, const std::string& text);

  /// Its client has said something that is not about anything here: all that hold the session are
  /// told, also those of which was not heard here yet.
  void hand_over(sessions::client_session& s, std::string text);
  void hand_over_cancel(sessions::client_session& s, std::string_view raw_id,
                        std::string_view reason);
  /// False: nobody else can be told.
  bool hand_over_answer(sessions::client_session& s, const jsonrpc::message& m);

  /// Another instance has said something that is not about the record.
  void hear(const sessions::session_ptr& s, const fleet::session_word& w);

 private:
  void hear_said(const sessions::session_ptr& s, const std::string& text);

  unit& unit_;
  fleet_line& line_;
  shared_sessions& all_;
  fleet_peers peers_;
};

}  // namespace gate::routing
