#include "shim/dropped_lines.hpp"

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::shim {

void dropped_lines::add(std::string_view why, std::string_view line, time_point now) {
  tally_->lines_dropped.add();
  if (!told_.admit(now)) return;
  std::string shown(line.substr(0, limits::child_shown_bytes));
  if (shown.size() < line.size()) shown += " …";
  log::warn("The server wrote a line to its standard output that is no message; it is dropped.",
            {{"session", session_},
             {"why", std::string(why)},
             {"line", std::move(shown)},
             {"left out before", std::to_string(told_.take_dropped())}});
}

void dropped_lines::add_too_long(std::size_t count, time_point now) {
  if (count == 0) return;
  tally_->lines_dropped.add(static_cast<double>(count));
  if (!told_.admit(now)) return;
  log::warn("The server said something longer than a message may be; it is dropped.",
            {{"session", session_},
             {"bytes allowed", std::to_string(limits::child_line_bytes)},
             {"left out before", std::to_string(told_.take_dropped())}});
}

void dropped_lines::conclude() {
  if (const auto more = told_.take_dropped(); more > 0)
    log::warn("The server wrote more lines that are no messages; they were dropped.",
              {{"session", session_}, {"lines", std::to_string(more)}});
}

}  // namespace gate::shim
