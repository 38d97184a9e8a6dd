#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "protocol/limits.hpp"
#include "protocol/recording/line.hpp"
#include "transport/log.hpp"
#include "transport/recording.hpp"

namespace gate {
namespace {

/// Room for the last line, within any bound.
constexpr std::size_t last_line_bytes = 32;

/// 0, or what is wrong. A disk that is full takes a part: what of it ends in the middle of a line
/// is no line.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n > 0)
      text.remove_prefix(static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      return n < 0 ? errno : EIO;
  }
  return 0;
}

class file_with_thread final : public recording_file {
 public:
  file_with_thread(int fd, std::string path, std::size_t written, std::uint64_t max_bytes,
                   std::size_t queue_bytes)
      : fd_(fd),
        path_(std::move(path)),
        accepted_(written),
        max_bytes_(max_bytes),
        queue_bytes_(queue_bytes),
        thread_([this] { run(); }) {}
  ~file_with_thread() override {
    end(recording::ending::none);
    ::close(fd_);
  }

  void write(std::string_view line) override {
    const std::lock_guard lock(mutex_);
    if (over_.load(std::memory_order_relaxed)) return;
    if (accepted_ + line.size() + last_line_bytes > max_bytes_)
      return finish(recording::ending::limit);
    if (waiting_.size() + line.size() > queue_bytes_) return finish(recording::ending::gap);
    accepted_ += line.size();
    waiting_ += line;
    const bool block = gathering_ && waiting_.size() >= limits::recording_block_bytes;
    if (!asleep_ && !block) return;
    asleep_ = gathering_ = false;  // once is enough
    wake_.notify_one();
  }

  bool over() const noexcept override { return over_.load(std::memory_order_relaxed); }

  void give_up() override {
    const std::lock_guard lock(mutex_);
    if (!over_) finish(recording::ending::gap);
  }

  void end(recording::ending how) override {
    {
      const std::lock_guard lock(mutex_);
      if (!over_) finish(how);
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  /// With the lock.
  void finish(recording::ending how) {
    over_ = true;
    how_ = how;
    wake_.notify_one();
  }

  void run() {
    // A file that is as large as this process may make one is an error of write(), not its end.
    sigset_t not_for_us;
    sigfillset(&not_for_us);
    pthread_sigmask(SIG_BLOCK, &not_for_us, nullptr);
    yield_to_units();
    std::string block;
    std::unique_lock lock(mutex_);
    for (;;) {
      gather(lock);
      const bool last = over_;
      block.clear();
      std::swap(block, waiting_);
      lock.unlock();
      if (last) recording::append_ending(block, how_);
      const int error = write_all(fd_, block);
      if (error) return failed(error);
      if (last) return say_why();
      lock.lock();
    }
  }

  /// It never takes the processor from a unit by waking up, and has less of one that is wanted by
  /// both; it is not left without. (Where neither may be set, it is as any thread.)
  static void yield_to_units() {
    constexpr int less = 10;
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_BATCH, &none);
    ::setpriority(PRIO_PROCESS, 0, less);
  }

  /// Until there is something to write.
  void gather(std::unique_lock<std::mutex>& lock) {
    asleep_ = true;
    wake_.wait(lock, [this] { return over_ || !waiting_.empty(); });
    asleep_ = false;
    gathering_ = true;
    wake_.wait_for(lock, limits::recording_gather,
                   [this] { return over_ || waiting_.size() >= limits::recording_block_bytes; });
    gathering_ = false;
  }

  void failed(int error) {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      waiting_ = {};
    }
    log::error("The recording can not be written and has ended; the gateway goes on.",
               {{"file", path_}, {"error", std::generic_category().message(error)}});
  }

  void say_why() const {
    if (how_ == recording::ending::limit)
      log::warn("The recording has as many bytes as --record-limit allows and has ended.",
                {{"file", path_}});
    if (how_ == recording::ending::gap)
      log::warn("The recording can not be written as fast as things happen and has ended.",
                {{"file", path_}});
  }

  const int fd_;
  const std::string path_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string waiting_;
  std::uint64_t accepted_;  ///< bytes, written or waiting
  const std::uint64_t max_bytes_;
  const std::size_t queue_bytes_;
  bool asleep_ = false;     ///< it waits for the first line
  bool gathering_ = false;  ///< it waits for more
  std::atomic<bool> over_{false};
  recording::ending how_ = recording::ending::none;
  std::thread thread_;
};

}  // namespace

result<std::shared_ptr<recording_file>> recording_file::make(const std::string& path,
                                                             std::string_view first,
                                                             std::uint64_t max_bytes,
                                                             std::size_t queue_bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    const int error = errno;
    return problem{error == EEXIST
                       ? "it exists already; name a file that does not"
                       : "it can not be made: " + std::generic_category().message(error)};
  }
  if (const int error = write_all(fd, first)) {
    ::close(fd);
    ::unlink(path.c_str());  // it would be in the way of the next start
    return problem{"it can not be written: " + std::generic_category().message(error)};
  }
  return std::shared_ptr<recording_file>(
      std::make_shared<file_with_thread>(fd, path, first.size(), max_bytes, queue_bytes));
}

struct secret_register::state {
  mutable std::mutex mutex;
  std::vector<std::string> all;
};

secret_register::secret_register() : state_(std::make_unique<state>()) {}
secret_register::~secret_register() = default;

void secret_register::add(std::string_view secret) {
  const std::lock_guard lock(state_->mutex);
  if (std::ranges::find(state_->all, secret) != state_->all.end()) return;
  state_->all.emplace_back(secret);
  size_.store(state_->all.size(), std::memory_order_release);
}

std::vector<std::string> secret_register::from(std::size_t n) const {
  const std::lock_guard lock(state_->mutex);
  if (n >= state_->all.size()) return {};
  return {state_->all.begin() + static_cast<std::ptrdiff_t>(n), state_->all.end()};
}

}  // namespace gate
