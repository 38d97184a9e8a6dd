#pragma once
/// What comes over a connection as the answer to one request: taken in small slices, so that its
/// pace is looked at often. What was read and has to wait is kept here. Part of a client
/// connection.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "transport/http/pace.hpp"
#include "transport/http/response_reader.hpp"

namespace gate::http {

class answer_intake {
 public:
  using clock = std::chrono::steady_clock;
  enum class turn : std::uint8_t {
    more,     ///< there is more to come
    done,     ///< the answer is complete, or over: see `answer().end()`
    later,    ///< nothing more before `go_on_at`, so that nothing more should be read
    endless,  ///< a header, or that of a chunk, that does not end
  };

  explicit answer_intake(const answer_rates& rates) : rates_(rates) {}

  /// An answer of at most so many bytes is awaited.
  void begin(std::size_t most);
  /// It was taken, or nobody waits for it any more.
  void end() { answer_.reset(); }
  bool awaits() const { return answer_.has_value(); }
  /// Of the answer that is awaited.
  response_reader& answer() { return *answer_; }
  bool started() const { return answer_ && answer_->started(); }
  /// Can the connection carry another request? Not with bytes that nobody asked for.
  bool reusable() const { return answer_ && answer_->reusable() && ahead_.empty(); }

  /// What was read; nothing, to go on with what was kept. Events that it brought should be taken
  /// from the answer, whatever is returned.
  turn take(std::string_view bytes);
  clock::time_point go_on_at() const { return go_on_at_; }
  /// That time has come: is it late enough? Else `go_on_at` is another one.
  bool may_go_on();

 private:
  std::string_view feed(std::string_view bytes);

  const answer_rates& rates_;
  std::size_t most_ = 0;
  known_answer last_;
  std::optional<response_reader> answer_;
  std::optional<pace> pace_;  ///< of an answer that did not come in one piece
  std::string ahead_;         ///< was read, and waits for its turn or for what belongs to it
  std::size_t consumed_ = 0;  ///< of `ahead_`
  bool had_events_ = false;   ///< in the slice that was taken last
  bool gives_way_ = false;    ///< this turn has brought enough
  clock::time_point go_on_at_{};
};

}  // namespace gate::http
