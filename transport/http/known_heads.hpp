#pragma once
/// Headers of requests that came to a unit lately, by whatever connection. A connection recognises
/// the header of its request before; behind a proxy, whose callers take turns on its connections,
/// it was another's. Bounded (limits::known_heads): a header that was not seen for long makes room,
/// and is read again. Whoever sends ever new ones pushes out others', which costs these a reading
/// each. Thread: the unit's.
#include <cstdint>
#include <string_view>

#include "protocol/base/recent.hpp"
#include "protocol/http/received_head.hpp"
#include "protocol/limits.hpp"

namespace gate::http {

class known_heads {
 public:
  /// One that `bytes` may begin with, but for the digits of its Content-Length; whether they do,
  /// `recognise` tells. Null: surely none.
  head_ptr find(std::string_view bytes) const;
  /// One by which others can be recognised (`received_head::length`).
  void keep(const head_ptr& head);

 private:
  struct known {
    std::uint64_t key = 0;
    head_ptr head;
  };

  recent<known, limits::known_heads> known_;
};

}  // namespace gate::http
