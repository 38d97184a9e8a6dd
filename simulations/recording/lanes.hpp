#pragma once
/// LANES: lines of a recording, parsed side by side: the loader has many of them at hand, and what
/// one says does not depend on the others. Each thread takes a run of lines, the caller's the
/// first; where there is one processor, that is all. Who asks judges what was said, in order.
#include <span>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/recording/event.hpp"

namespace gate::recording {

class lanes {
 public:
  /// As many as processors, and not more than `most`.
  explicit lanes(std::size_t most = 4);

  /// What each line is (parse_line), in their order; its event is in its place, a new one.
  std::span<const result<ending>> parse(std::span<const std::string_view> lines,
                                        std::span<event* const> places);

 private:
  std::vector<header_memo> memos_;  ///< of each lane
  std::vector<result<ending>> said_;
};

}  // namespace gate::recording
