#pragma once
/// ROOM SEARCH: how a session that is being opened comes to room at an upstream that has none for
/// it: one of ours is chosen to go, one for one. The two share a word on what becomes of the one
/// that was chosen, so that nobody has to look for it among all. Pure; part of UPSTREAM SESSION.
///
///   refused, and the chosen one    meanwhile
///   is none, or stays              another one is chosen
///   is leaving                     wait
///   has gone                       wait: a server needs a moment to take its own down. Before the
///                                  last attempt another one is chosen, once: the place has gone to
///                                  somebody else
///
/// So two are ended at most for one that is opened.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::upstream {

/// What becomes of one that was chosen. Whatever makes it stay, stays with it.
enum class fate : std::uint8_t { leaving, stays, gone };
using fate_ptr = std::shared_ptr<fate>;

class room_search {
 public:
  std::optional<std::size_t> full;  ///< an endpoint that said it has no room

  bool begun() const { return attempts_ > 0; }
  bool over() const { return attempts_ >= limits::busy_attempts; }
  /// Is one to be chosen now?
  bool chooses() const {
    if (!chosen_ || *chosen_ == fate::stays) return true;
    return *chosen_ == fate::gone && attempts_ + 1 == limits::busy_attempts;
  }
  /// Null: none can go at the moment.
  void choose(std::shared_ptr<const fate> one) { chosen_ = std::move(one); }
  /// How long until the next attempt.
  std::chrono::milliseconds pause() { return limits::busy_pause * (1U << attempts_++); }

 private:
  unsigned attempts_ = 0;
  std::shared_ptr<const fate> chosen_;
};

}  // namespace gate::upstream
