#include "transport/doors/file_watch.hpp"

#include <utility>

namespace gate::doors {

file_watch::news file_watch::look(const std::optional<file_stamp>& seen) {
  if (!seen) {
    // What comes back is read again even if it looks as before: it may be a copy of an old one.
    known_.reset();
    last_.reset();
    return std::exchange(gone_, true) ? news::none : news::gone;
  }
  gone_ = false;
  if (seen == known_) {
    last_.reset();
    return news::none;
  }
  if (last_ != seen) {
    last_ = seen;
    return news::none;
  }
  known_ = seen;
  last_.reset();
  return news::changed;
}

}  // namespace gate::doors
