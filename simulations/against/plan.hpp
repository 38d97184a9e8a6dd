#pragma once
/// What of a recording is sent to a live gateway: the requests of its clients, with what each was
/// told and what each had to wait for. Pure.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/recording/event.hpp"
#include "protocol/sse/parser.hpp"
#include "simulations/recording/answers.hpp"

namespace gate::against {

/// What a result names for later requests, raw JSON strings in one spelling; empty: nothing.
struct tokens {
  std::string cursor, task;
};
tokens tokens_of(std::string_view message);

/// How a request ended that is compared with nothing: its client had left, or the recording was
/// over.
inline constexpr std::string_view left_open = "open", left = "gone";

struct exchange {
  std::uint64_t at = 0;
  std::string method, target, body;
  std::vector<recording::header> headers;
  recording::said said;
  std::string session;  ///< that it is of, or opens; empty: none
  bool opens = false;   ///< the session
  std::string outcome{left_open};
  std::optional<std::uint64_t> end;  ///< when it was over; nothing: it never was
  tokens names;                      ///< of its result
  bool streamed = false;
  /// So many exchanges of its session were over when it began: as many must be now. In the order of
  /// their ends.
  std::size_t behind = 0;
  /// The exchange whose result named its cursor or task, if one did.
  std::optional<std::size_t> needs;
};

struct plan {
  std::vector<exchange> all;  ///< in the order of their times
  /// Sessions: the places of their exchanges, in the order of their ends; those that never ended
  /// are not there.
  std::map<std::string, std::vector<std::size_t>> sessions;
  // What can not be sent, and how often there is such.
  std::uint64_t responses = 0;  ///< answers of clients to what servers asked: these have other ids
  std::uint64_t resumptions = 0;  ///< streams by Last-Event-ID: events have other ids
  std::uint64_t flawed = 0;       ///< what was no valid HTTP
};

/// Collects the events of a recording.
class planner {
 public:
  /// What is kept may be so long, in bytes: of a longer recording a part is sent.
  static constexpr std::size_t most = 1024UL * 1024 * 1024;

  /// Why it can not go on.
  std::optional<problem> take(const recording::event& e);
  plan finish() &&;

 private:
  using key = std::pair<std::uint64_t, std::uint64_t>;
  struct open_exchange {
    exchange what;
    sse::parser stream{64UL * 1024 * 1024};
  };

  void has_body(exchange& x, const recording::event& e);
  void became(open_exchange& o, const recording::event& e);
  void end(std::map<key, open_exchange>::iterator which, std::uint64_t at);

  std::map<key, open_exchange> open_;
  plan plan_;
  std::size_t kept_ = 0;
};

}  // namespace gate::against
