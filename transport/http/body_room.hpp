#pragma once
/// Room for the bodies of requests that have come in part. Connections that never brought a request
/// that was accepted may fill half of it, and that half is theirs: neither can they shut out the
/// others, nor others them. Pure; owned by the server.
#include <array>
#include <cstddef>

namespace gate::http {

class body_room {
 public:
  explicit body_room(std::size_t most) : most_(most) {}

  /// One connection holds `to` bytes instead of `from`. `known`: it was accepted before.
  void change(bool known, std::size_t from, std::size_t to) {
    held_[known] += to;
    held_[known] -= from;
  }

  /// How much those of one kind have to give back now; to be asked of the unknown first. More than
  /// just enough, so that it is not asked for with each byte.
  std::size_t excess(bool known) const {
    const auto held = known ? held_[0] + held_[1] : held_[0];
    const auto most = known ? most_ : most_ / 2;
    return held > most ? held - (most - most / 8) : 0;
  }

 private:
  std::size_t most_;
  std::array<std::size_t, 2> held_{};
};

}  // namespace gate::http
