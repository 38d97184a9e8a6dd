#pragma once
/// A recording as HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), which the developer
/// tools of browsers open: an entry for each request of a client and for each fetch of the gateway.
/// Entries are handed out as they end, so what is in memory is what is open. Pure.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/recording/event.hpp"
#include "simulations/recording/upstream_names.hpp"

namespace gate::recording {

class har {
 public:
  /// `write` gets the text of the file, piece by piece.
  explicit har(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  void begin(const preamble& first);
  void take(const event& e);
  /// Ends the text. What is open is written as unanswered.
  void finish();
  std::uint64_t entries() const { return entries_; }

  /// What an entry tells of a body or stream; the rest is left out, and the comment says so.
  static constexpr std::size_t content_bytes = 64 * 1024 * 1024;

 private:
  using key = std::pair<std::uint64_t, std::uint64_t>;  ///< unit and number
  struct entry {
    event asked;
    std::uint64_t answered_at = 0;  ///< when the answer began; 0: not yet
    std::uint64_t status = 0;
    std::vector<header> headers;
    std::string type, content, session;
    std::uint64_t size = 0;  ///< of the content, all of it
    std::string error;       ///< why there is no answer
  };

  void request_event(const event& e);
  void fetch_event(const event& e);
  static void add_content(entry& to, std::string_view bytes, std::uint64_t at);
  void end(std::map<key, entry>& of, std::map<key, entry>::iterator which, std::uint64_t at);
  void write(const entry& e, std::uint64_t at);

  std::function<void(std::string_view)> write_;
  preamble first_;
  upstream_names upstreams_;
  std::map<key, entry> requests_, fetches_;
  std::uint64_t entries_ = 0, last_at_ = 0;
};

}  // namespace gate::recording
