#pragma once
/// LENT STREAMS: the client of a call that runs here has come back for its stream to another
/// instance of the fleet (followed_streams.hpp), which asks for it. What the call says goes there
/// by words, through an exchange like any other: whoever has the call notices nothing. Part of
/// ROUTER, of a gateway with a store.
///
/// A client is there as long as that instance says so: it is gone when a word reaches nobody, or
/// nothing was heard for `limits::lent_stream_silence`. The call goes on, and what it says is kept,
/// as for every client whose connection broke. No more are lent than calls run.
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "actors/router/fleet_line.hpp"
#include "actors/sessions/client_session.hpp"
#include "protocol/fleet/stream_record.hpp"
#include "protocol/trace/ids.hpp"

namespace gate::routing {

class client_streams;
class lent_exchange;

class lent_streams {
 public:
  lent_streams(unit& u, fleet_line& line, client_streams& streams)
      : unit_(u), line_(line), streams_(streams) {}
  lent_streams(const lent_streams&) = delete;
  lent_streams& operator=(const lent_streams&) = delete;

  /// A client has come to `from` with this session (null: it is not held here) for such a stream.
  void lend(const sessions::session_ptr& s, const std::string& from, const fleet::session_word& w);
  /// How much of one has been taken there.
  void hear(const std::string& from, const fleet::session_word& w);
  /// This ROUTER dies, and its calls with it: that they end is not said, since each would look like
  /// one that its client can come back for. Whoever follows them finds that nobody is here.
  void abandon() { here_.reset(); }
  /// Every second.
  void tick(time_point t);

 private:
  friend class lent_exchange;
  using place = std::pair<std::string, std::uint64_t>;  ///< who asked, and its number

  void say(const place& to, fleet::stream_piece p);
  trace::trace_id trace_of(const sessions::client_session& s, std::uint64_t stream) const;
  void say_runs(const sessions::session_ptr& s, const std::shared_ptr<lent_exchange>& to);

  unit& unit_;
  fleet_line& line_;
  client_streams& streams_;
  /// Calls own them.
  std::map<place, std::weak_ptr<lent_exchange>> all_;
  std::uint64_t next_ = std::uint64_t{1} << 63U;  ///< no exchange of INGRESS has such a number
  /// Calls may be dropped after this is gone.
  std::shared_ptr<const bool> here_ = std::make_shared<const bool>(true);
};

}  // namespace gate::routing
