#pragma once
/// The first moments of a session that stands for a client. A server may want to know something of
/// its client before it takes calls (its roots, most of all), and asks on the session's own stream;
/// many drop what they have to say when that stream is not open yet. So the first calls wait: for
/// the stream, and for what the server asks at once. Pure; part of UPSTREAM SESSION.
///
///   over when    the stream is open or refused, and `limits::greeting_quiet` later nothing is open
///                or after `limits::greeting_most`, whatever is
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace gate::upstream {

class greeting {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `roots`: the client has some, so that the server may ask for them.
  greeting(time_point now, bool roots);

  /// The stream is open, or there will be none.
  void stream_settled(time_point now);
  /// The server asked something, by this raw id.
  void asked(std::string_view raw_id) { questions_.emplace(raw_id); }
  /// The client's answer is on its way, in this fetch; the server has it when that has ended.
  void answered(std::string_view raw_id, std::uint64_t fetch);
  void delivered(std::uint64_t fetch) { answers_.erase(fetch); }

  bool over(time_point now) const { return now >= look_at(); }
  /// When it is over, if nothing happens.
  time_point look_at() const;

 private:
  bool roots_;
  time_point until_;
  time_point quiet_from_ = time_point::max();
  std::set<std::string, std::less<>> questions_;
  std::set<std::uint64_t> answers_;
};

}  // namespace gate::upstream
