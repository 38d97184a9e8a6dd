#pragma once
/// When a file that somebody edits is worth reading again: it has changed, and stayed as it is from
/// one look to the next, so that nobody is in the middle of writing it. Pure; WATCH looks.
#include <cstdint>
#include <optional>

#include "transport/process.hpp"

namespace gate::doors {

class file_watch {
 public:
  enum class news : std::uint8_t {
    none,
    gone,     ///< it can not be seen any more; told once
    changed,  ///< read it
  };

  /// `known`: the file as it was before it was read; nothing: whatever is seen first is new.
  explicit file_watch(std::optional<file_stamp> known) : known_(known) {}

  /// One look: nothing if it can not be seen.
  ///
  ///   seen                       before               now
  ///   nothing                    there                gone, once
  ///   as it was read             never gone           none
  ///   otherwise                  another last time    none, look again
  ///   otherwise                  the same last time   changed
  news look(const std::optional<file_stamp>& seen);

 private:
  std::optional<file_stamp> known_;
  std::optional<file_stamp> last_;  ///< differs from `known_`, and was not told yet
  bool gone_ = false;
};

}  // namespace gate::doors
