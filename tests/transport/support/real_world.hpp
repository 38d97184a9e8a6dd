#pragma once
/// The runtime with its real doors, and actors in front of them that do what a test says: a ROUTER
/// for INGRESS, an asker for EGRESS. The test's thread stands outside: it waits for what arrives,
/// and has work done on a unit's thread by `on_unit`.
#include <gtest/gtest.h>

#include <atomic>
#include <caf/all.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/transport/support/sockets.hpp"
#include "transport/runtime.hpp"

namespace gate::testing {

/// What happened on other threads, in order.
template <class T>
class inbox {
 public:
  void put(T x) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(x));
    arrived_.notify_all();
  }
  T wait() {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [this] { return !waiting_.empty(); }))
      throw std::runtime_error("nothing arrived");
    T x = std::move(waiting_.front());
    waiting_.pop_front();
    return x;
  }
  bool empty() {
    std::lock_guard lock(mutex_);
    return waiting_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<T> waiting_;
};

/// Work to be done on a unit's thread.
struct errand {
  std::function<void()> work;
};
using desk_actor = arrivals_handle::extend<caf::reacts_to<errand>>;

/// An arrival, and the unit that delivered it. Held by the test, let go of on its unit.
struct delivery {
  std::size_t unit = 0;
  exchange_ptr from;
};

inline response_head head(int status, std::string_view type = {}, std::string_view lines = {}) {
  return {status, type, lines, false};
}

class real_world {
 public:
  using handler = std::function<void(const exchange_ptr&)>;

  explicit real_world(std::size_t threads = 1, std::size_t max_body = 1024 * 1024,
                      const std::function<void(runtime::options&)>& adjust = {});
  ~real_world();
  real_world(const real_world&) = delete;
  real_world& operator=(const real_world&) = delete;

  std::uint16_t port() const { return runtime_->port(); }
  caf::actor_system& system() { return runtime_->system(); }
  const unit_doors& doors(std::size_t unit = 0) const { return runtime_->units().at(unit); }
  /// Runs `work` on the unit's thread and waits for its end.
  void on_unit(std::size_t unit, const std::function<void()>& work);
  void on_unit(const std::function<void()>& work) { on_unit(0, work); }

  // --- INGRESS
  /// Arrivals are handled by `h`, on their unit. Before `serve` is called nothing is accepted.
  void serve(handler h);
  /// Arrivals wait for `arrival()`.
  void serve_by_hand();
  /// Headers whose body follows are arrivals as well, from now on, and `body_read` tells of their
  /// bodies. Otherwise each body is asked for at once, and its request arrives with it.
  void judge_headers() { judges_ = true; }
  std::uint64_t body_read() { return bodies_.wait(); }
  /// The next arrival. It must be released with `release`, or answered with `answer`.
  delivery arrival() { return arrivals_.wait(); }
  void with(delivery& d, const std::function<void(exchange&)>& what);
  void release(delivery d);
  std::uint64_t gone() { return gone_.wait(); }
  bool any_arrival() { return !arrivals_.empty(); }
  /// Has INGRESS begin to drain; the future is ready when it says that it has.
  std::future<void> drain(std::size_t unit = 0);

  // --- EGRESS
  void fetch_from(const std::string& url, fetch f = {}, destination d = {});
  void abandon(std::uint64_t id);
  fetched answer() { return fetched_.wait(); }
  streamed events() { return streamed_.wait(); }
  bool any_answer() { return !fetched_.empty(); }
  /// The message that starts a fetch, for tests that send it themselves.
  start_fetch make_start(const std::string& url, fetch f = {}, destination d = {});
  /// One more who asks; its answers come as all others.
  fetch_client new_asker();

 private:
  class desk;
  class asker;

  handler handler_;
  inbox<delivery> arrivals_;
  inbox<std::uint64_t> gone_, bodies_;
  std::atomic<bool> judges_{false};
  inbox<fetched> fetched_;
  inbox<streamed> streamed_;
  std::unique_ptr<runtime> runtime_;
  std::vector<desk_actor> desks_;
  fetch_client asker_;
  std::vector<fetch_client> more_askers_;
};

}  // namespace gate::testing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::errand)
