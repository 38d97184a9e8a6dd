#pragma once
/// PLACES: the deliveries that may be in memory at a time, each with a socket at most, shared by
/// all webhooks. Organizations take turns, whatever number of webhooks one of them has; and a
/// quarter of all places stays free for whoever comes next (protocol/base/fair_line.hpp). Pure;
/// part of DISPATCH.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "protocol/base/fair_line.hpp"

namespace gate::hooks {

class places {
 public:
  explicit places(std::size_t most) : most_(most) {}

  /// A DESTINATION, by its number, wants so many. At most one claim of each waits.
  void claim(std::uint64_t destination, const std::string& organization, std::size_t wanted);
  /// So many of those that it was granted are free again; more than it has are none.
  void give(std::uint64_t destination, std::size_t n);
  /// It has ended, with what it has.
  void forget(std::uint64_t destination);

  struct grant {
    std::uint64_t destination;
    std::size_t n;  ///< 1 to what was wanted
  };
  /// The next claim that can be granted; ask until there is none.
  std::optional<grant> next();

  std::size_t taken() const { return taken_; }

 private:
  struct owner {
    std::uint64_t number = 0;
    std::size_t has = 0;
    std::size_t destinations = 0;  ///< that have places, or wait for some
  };
  using owners = std::unordered_map<std::string, owner>;
  struct holder {
    owners::value_type* by = nullptr;
    owner& of() const { return by->second; }
    std::size_t has = 0;
    bool waits = false;
  };
  struct waiting {
    std::uint64_t destination;
    std::size_t wanted;
  };
  using holders = std::unordered_map<std::uint64_t, holder>;
  void drop_if_unused(holders::iterator it);

  std::size_t most_, taken_ = 0;
  owners owners_;
  holders holders_;
  fair_line<waiting> line_;
  std::uint64_t last_owner_ = 0;
};

}  // namespace gate::hooks
