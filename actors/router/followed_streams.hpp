#pragma once
/// FOLLOWED STREAMS: clients have come back here (`Last-Event-ID`) for streams of calls that run at
/// other instances of the fleet (lent_streams.hpp). All that hold the session are asked; the one
/// that has the stream says on it what is to come, and here that is written to the client. Part of
/// ROUTER, of a gateway with a store.
///
///   what is heard                               the client gets
///   all say that they have no such stream,      400
///   or are gone
///   one says that it is over                    405
///   not all have answered within                503
///   `limits::handed_call_taken`, or the store
///   has not
///   it begins, and goes on                      the stream
///   it ends                                     its end
///   a piece is missing, or the store is away    its end: it may come back for the rest
///   that instance is gone (a word reaches       an error for its call, and the stream's end
///   nobody, or it was silent for
///   `limits::lent_stream_silence`)
///
/// Bounded by the connections of clients.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/identity/gatekeeper.hpp"
#include "actors/pipeline/one_way.hpp"
#include "actors/router/shared_words.hpp"
#include "protocol/fleet/stream_record.hpp"

namespace gate::routing {

class followed_streams {
 public:
  using search = pipeline::session_desk::search;

  followed_streams(unit& u, fleet_line& line, shared_words& words)
      : unit_(u), line_(line), words_(words) {}

  /// As `pipeline::stream_desk` says.
  search seek(pipeline::fact<pipeline::stage::guard>& c);
  /// A piece of one.
  void hear(const std::string& from, const fleet::session_word& w);
  /// The exchange with this number is closed.
  void client_gone(std::uint64_t exchange);
  /// A stream lasts no longer than the key of the token that it was opened with.
  void end_untrusted(identity::gatekeeper& keeper);
  /// Every second.
  void tick(time_point t);
  /// The process is about to end: clients go on elsewhere.
  void wind_down();
  /// Streams end, to be resumed, and who lends them is told: this ROUTER dies.
  void abandon();

 private:
  struct followed {
    exchange_ptr to;
    sessions::session_ptr session;
    identity::access_ptr access;
    std::string from;
    std::string call;          ///< raw id; empty: it has ended
    std::uint64_t pieces = 1;  ///< heard so far
    std::size_t written = 0, told = 0;
    time_point last_piece{}, beat{};

    /// Bytes that its client has taken.
    std::size_t taken() const { return written - std::min(written, to->queued()); }
  };
  using followed_by = std::unordered_map<std::uint64_t, followed>;

  void ask(sessions::client_session& s, std::uint64_t number, const std::string& event_id);
  void not_there(std::uint64_t number, const std::string& name);
  void refuse(std::uint64_t number, pipeline::stream_end why);
  void begin(std::uint64_t number, const std::string& from);
  void go_on(followed_by::iterator at, fleet::stream_piece p);
  void say_gone(const std::string& to, std::uint64_t number);
  void tell(std::uint64_t number, followed& f, bool gone = false);
  void end(followed_by::iterator at);
  void lose(std::uint64_t number);

  unit& unit_;
  fleet_line& line_;
  shared_words& words_;
  /// Clients that wait, by the numbers of their calls: who has not answered yet.
  std::unordered_map<std::uint64_t, std::set<std::string, std::less<>>> asked_;
  followed_by all_;  ///< by the numbers of the calls that these were
  bool winding_down_ = false;
};

}  // namespace gate::routing
