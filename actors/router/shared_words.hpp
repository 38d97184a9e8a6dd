#pragma once
/// SHARED WORDS: what instances of a fleet tell each other about a client's session that several
/// hold, beside what stands in its record. Part of SHARED SESSIONS.
#include <functional>
#include <string>
#include <string_view>

#include "actors/pipeline/one_way.hpp"
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

  /// Its client has said this: all that hold the session are told, also those of which was not
  /// heard here yet. Told at most once.
  void tell_holders(sessions::client_session& s, std::string text);
  /// The same of a call by which its client has said something that is about nothing here. The call
  /// is put aside, and ends when one of them has been told, or none can be. Always true.
  bool hand_over(pipeline::fact<pipeline::stage::guard>& c);
  /// Asks the store who holds it; then `then(known)`: they are among its `others`, or the store has
  /// not said. Not called if the session has ended meanwhile.
  void find_holders(sessions::client_session& s,
                    std::function<void(sessions::client_session&, bool)> then);

  /// Another instance has said something that is not about the record.
  void hear(const sessions::session_ptr& s, const fleet::session_word& w);

 private:
  /// So many have yet to be told, and was one?
  struct handing {
    std::uint64_t call = 0;
    std::size_t open = 0;
    pipeline::handing how = pipeline::handing::gone;
  };
  void hand_to_all(sessions::client_session& s, std::uint64_t call, const std::string& text);
  pipeline::call_ptr take(std::uint64_t call);
  void finish(const handing& h);
  void hear_said(const sessions::session_ptr& s, const std::string& text);

  unit& unit_;
  fleet_line& line_;
  shared_sessions& all_;
  fleet_peers peers_;
};

}  // namespace gate::routing
