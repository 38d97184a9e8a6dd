#pragma once
/// Who may still come to the token endpoint. Everybody together gets so many tokens a minute; what
/// yields none is charged to the address that it came from, so that nobody takes the tokens of
/// others by asking in vain.
///
///   a request that                          is charged to      when
///   is none, or of another issuer           nobody             -
///   is forged, too old, or was used before  its address        it is refused
///   waits for keys                          its address        it begins to wait
///   is good                                 everybody          its token is given
///
/// An address may fail as often as everybody may succeed: behind a proxy all clients have one,
/// which then needs no more than that. Addresses are counted up to a bound, and forgotten when
/// nothing of theirs counts any more. Pure; part of MINT.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/guards/sliding_window.hpp"
#include "protocol/limits.hpp"

namespace gate::identity {

class token_shares {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `per_minute` 0: any number.
  explicit token_shares(std::int64_t per_minute, std::size_t most = limits::token_addresses)
      : per_minute_(per_minute), most_(most) {}

  /// Nothing: a request of this address may be looked at. Else it may come again after so long.
  std::optional<std::chrono::seconds> refuses(const std::string& address, time_point now) const {
    if (auto full = everybody_refuses(now)) return full;
    const auto it = addresses_.find(address);
    if (it == addresses_.end() || it->second.has_room(per_minute_, now)) return {};
    return it->second.retry_after(per_minute_, now);
  }
  /// As above, of everybody together: asked again before a token is given.
  std::optional<std::chrono::seconds> everybody_refuses(time_point now) const {
    if (per_minute_ <= 0) return {};
    if (now < full_until_) return std::chrono::ceil<std::chrono::seconds>(full_until_ - now);
    const auto room = per_minute_ - giving_;
    if (room > 0 && all_.has_room(room, now)) return {};
    return all_.retry_after(per_minute_, now);
  }
  /// Something that came from this address yields no token.
  void in_vain(const std::string& address, time_point now) {
    if (per_minute_ <= 0) return;
    const auto it = addresses_.find(address);
    if (it != addresses_.end()) return it->second.take(now);
    if (addresses_.size() >= most_) sweep(now);
    if (addresses_.size() < most_) addresses_[address].take(now);
  }
  /// A token is about to be given; then it was, or was not.
  void begin() { ++giving_; }
  void end(bool given, time_point now) {
    --giving_;
    if (given) all_.take(now);
  }

  /// The instances of the fleet have given as many together as there may be.
  void full_until(time_point t) { full_until_ = t; }

  std::size_t addresses() const { return addresses_.size(); }

 private:
  /// A look at all of them, no more than once a second: a flood of addresses must not cost one
  /// each.
  void sweep(time_point now) {
    if (now < next_sweep_) return;
    next_sweep_ = now + std::chrono::seconds{1};
    std::erase_if(addresses_, [now](const auto& x) { return x.second.idle(now); });
  }

  std::int64_t per_minute_;
  std::size_t most_;
  guards::sliding_window all_;
  std::int64_t giving_ = 0;
  time_point full_until_{};
  std::unordered_map<std::string, guards::sliding_window> addresses_;
  time_point next_sweep_{};
};

}  // namespace gate::identity
