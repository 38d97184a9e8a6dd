#pragma once
/// SESSION RECORDS: what stands in the store of the clients' sessions that are held here. Written
/// down is what has changed here, and read again what another instance has changed, each field for
/// itself; all of it soon behind the moment, and no more than a portion at a time. Part of SHARED
/// SESSIONS.
///
///   of a record                          what is done
///   it is there                          it is as it says, but for what is yet to be written
///   it is not: the store has lost it     it is written down anew
///   its client has ended it elsewhere    the session ends here, too
///   the store does not answer            the same once more: at the next renewal, if the session
///                                        is used, else when the store returns
#include <deque>
#include <functional>

#include "actors/router/session_search.hpp"

namespace gate::routing {

class shared_words;

class session_records {
 public:
  session_records(unit& u, fleet_line& line, shared_words& words, shared_sessions& all)
      : unit_(u), line_(line), words_(words), all_(all) {}
  session_records(const session_records&) = delete;
  session_records& operator=(const session_records&) = delete;

  /// So long a record is kept; and whoever has not said for as long that it holds one does not.
  std::chrono::milliseconds lasts() const;
  std::chrono::seconds alive() const;

  /// What has changed is told, and that it is held here. `then` hears what came of it, behind this.
  /// Returns the question's number; 0: the store is not there.
  std::uint64_t write(sessions::client_session& s, fleet_line::then then = {});
  /// This has changed here.
  void changed(sessions::client_session& s, sessions::session_changes what);
  /// Another instance has changed something.
  void read_later(sessions::client_session& s);
  /// The store is there again: it may have lost what it had, and others have changed it.
  void read_all();

  void on_timer();
  /// Every second: records of what is in use live longer.
  void tick(time_point t);

 private:
  fleet::named_fields fields_of(const sessions::client_session& s,
                                const sessions::session_changes& what);
  void on_written(std::uint64_t client, sessions::session_changes what, const store_told& m);
  void write_anew(sessions::client_session& s);
  void read(sessions::client_session& s);
  void on_read(std::uint64_t client, std::uint64_t edition, const store_told& m);
  void look_later(sessions::client_session& s);

  unit& unit_;
  fleet_line& line_;
  shared_words& words_;
  shared_sessions& all_;
  std::deque<std::uint64_t> queue_;
  bool awake_ = false;
  time_point looked_{};  ///< so far records in use were renewed
};

}  // namespace gate::routing
