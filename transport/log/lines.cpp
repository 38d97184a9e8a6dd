#include "transport/lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <system_error>
#include <utility>

#include "transport/log.hpp"
#include "transport/log/line_thread.hpp"

namespace gate {
namespace {

class descriptor final : public line_outlet {
 public:
  explicit descriptor(int fd) : fd_(fd) {}

  /// It is over when nobody will ever read: the other end is closed, or stuck while we are
  /// stopping. The descriptor may be a blocking one, and is not ours to change: so it is asked
  /// before each write, and given no more than what a pipe that has room takes at once.
  outcome put(std::string_view text, const std::atomic<bool>& hurry) override {
    while (!text.empty()) {
      pollfd p{fd_, POLLOUT, 0};
      if (::poll(&p, 1, 100) <= 0) {
        if (!hurry) continue;
        why_ = "the reader is stuck";
        return lost(text);
      }
      const auto n = ::write(fd_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
      if (n > 0) {
        text.remove_prefix(static_cast<std::size_t>(n));
      } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        why_ = std::generic_category().message(errno);
        return lost(text);
      }
    }
    return {};
  }

  void told_over(std::size_t lines) override {
    log::error(
        "Lines can not be written any more; these and all that follow are dropped.",
        {{"descriptor", std::to_string(fd_)}, {"dropped", std::to_string(lines)}, {"error", why_}});
  }

 private:
  static outcome lost(std::string_view left) {
    return {static_cast<std::size_t>(std::count(left.begin(), left.end(), '\n')), true};
  }

  int fd_;
  std::string why_;
};

}  // namespace

line_writer::line_writer(int fd, line_bounds most)
    : thread_(std::make_unique<line_thread>(std::make_unique<descriptor>(fd), most)) {}

line_writer::~line_writer() = default;

lost_lines line_writer::write(std::string_view line) {
  return thread_->write(line);
}

void line_writer::flush() {
  thread_->flush();
}

void line_writer::flush(std::function<void()> done) {
  thread_->flush(std::move(done));
}

}  // namespace gate
