#pragma once
/// ENDPOINT CHOICE: which replica a session is with. BALANCER picks one for each attempt to
/// connect; without it, it is the first that has not been tried. Pure; part of UPSTREAM SESSION.
///
///   an attempt          an answer          none is left, or it worked
///   asks                picked             settled: the next attempt begins anew
///   picked, in vain     asks again, at most `connect_candidates` in all
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/interfaces.hpp"

namespace gate::upstream {

/// Was nothing sent, because the endpoint could not be reached?
bool is_unreachable(fetch_end e);
/// A request of the handshake has ended: is its endpoint as good as not reached?
bool endpoint_fails(const fetched& f);
/// The server works, but has too much to do at the moment.
bool is_busy(const fetched& f);

class endpoint_choice {
 public:
  /// `count` endpoints, at least one.
  explicit endpoint_choice(std::size_t count) : count_(count) {}

  /// That of this session, or the next one's.
  std::size_t current() const { return current_; }
  bool several() const { return count_ > 1; }
  void be_with(std::size_t endpoint) { current_ = endpoint; }

  /// The number of a question that is open from now on.
  std::uint64_t ask() { return open_ = ++asked_; }
  bool asks() const { return open_ != 0; }
  /// In vain, for the session that is being opened.
  const std::vector<std::size_t>& tried() const { return tried_; }
  /// The answer to the question of this number. False: nobody asks that.
  bool picked(std::uint64_t number, std::size_t endpoint);
  /// There is nobody to answer. False: nothing is asked.
  bool pick_alone();

  /// The current one has failed the handshake. True: another one may be tried.
  bool fail();
  /// The attempt is over, well or in vain.
  void settle() { tried_.clear(); }

 private:
  std::size_t count_;
  std::size_t current_ = 0;
  std::vector<std::size_t> tried_;
  std::uint64_t open_ = 0, asked_ = 0;
};

}  // namespace gate::upstream
