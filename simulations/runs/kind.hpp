#pragma once
/// The kinds of stories: a whole gateway, and a fleet of them. One that is added is a row in
/// kinds.cpp; what runs, shortens and judges stories does not know which they are of.
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/runs/plot.hpp"
#include "simulations/stories/setting.hpp"

namespace gate::runs {

/// A fault that can be planted, so that a checker has something to see.
struct plant {
  std::string_view name;
  std::string_view complaint;  ///< how one of the complaints must begin: with the checker's name
  std::string_view about;      ///< what is wrong then
};
/// How tests name it.
inline void PrintTo(const plant& p, std::ostream* out) {
  *out << p.name;
}

class kind {
 public:
  virtual ~kind() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view about() const = 0;
  /// What a scenario file may say of its stories.
  virtual std::span<const stories::setting> settings() const = 0;
  virtual const std::vector<plant>& plants() const = 0;
  /// The story of this seed, with the plant of this name in it (empty: with none). Null: there is
  /// nothing in this story for which the plant would be wrong.
  virtual plot_ptr make(std::uint64_t seed, const stories::tuning& t,
                        std::string_view planted) const = 0;
};

std::span<const kind* const> kinds();
/// Null: there is none.
const kind* find_kind(std::string_view name);
/// The plant of this name; null: this kind has none.
const plant* find_plant(const kind& of, std::string_view name);

}  // namespace gate::runs
