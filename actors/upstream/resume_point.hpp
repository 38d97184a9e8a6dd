#pragma once
/// Where an event stream of an upstream was left, and when to come back for the rest. A server that
/// gives its events ids may end a stream before all was said, or lose the connection; a GET with
/// the last id goes on behind it (MCP 2025-11-25 /basic/transports §Resumability, SEP-1699). Pure:
/// each fetch that may be gone on with has one in the session, which asks it when the fetch ends.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transport/interfaces.hpp"

namespace gate::upstream {

/// What the end of a fetch says about going on with its stream.
enum class stream_end : std::uint8_t {
  over,         ///< it was an event stream, which ended or broke
  unreachable,  ///< nobody decided: no connection, or the server is busy
  refused,      ///< this server does not go on with it
};
stream_end how_ended(const fetched& f);

/// Printable ASCII that begins and ends visibly, at most `limits::event_id_bytes`: what comes back
/// to the server in a header line as it is.
bool is_event_id(std::string_view id);

class resume_point {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  /// An event came. Takes its id. One that can not be sent back, or an empty one, leaves nothing to
  /// go on from: behind an older id the server would say again what was received already.
  void received(sse::event& e);
  /// The server may have said how long to wait.
  void set_retry(std::optional<std::uint32_t> retry_ms);
  void forget() { id_.clear(); }

  bool known() const { return !id_.empty(); }
  const std::string& id() const { return id_; }
  /// As the server said it, bounded; else nothing.
  std::optional<milliseconds> wanted_pause() const { return retry_; }

  /// The stream is asked for again.
  void resumed(time_point now);
  /// Was it ever? Then what opened it has reached the server, whatever comes now.
  bool was_resumed() const { return resumed_; }
  /// Since it was asked for: did events come, or did it at least stay open for a moment?
  bool worked(time_point now) const;
  /// The fetch has ended before all was said: how long to wait until the stream is asked for again.
  /// Nothing: it can not be, or was too often in vain.
  std::optional<milliseconds> pause(stream_end how, time_point now);

 private:
  std::string id_;
  std::optional<milliseconds> retry_;
  time_point since_{};
  std::uint8_t in_vain_ = 0;  ///< attempts in a row that brought nothing
  bool resumed_ = false;
  bool received_ = false;
};

}  // namespace gate::upstream
