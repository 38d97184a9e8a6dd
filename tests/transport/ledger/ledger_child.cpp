/// ledger_child: what tests of LEDGER have another process do.
///
///   ledger_child open PATH             says what is wrong; 1 if anything is
///   ledger_child open_as_nobody PATH   the same, without the rights of root
///   ledger_child hold PATH             says `open`, and stays
///   ledger_child work PATH ROUND       accepts and delivers for ever, and says what is durable:
///                                      `a EVENT` for an event, `d EVENT` for one that is delivered
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/ledger/writer.hpp"

namespace {

using namespace gate;
using namespace gate::ledger;

/// One write for each, so that a line is there or not.
void say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(3);
}

webhook::wall_time wall_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

/// Becomes nobody; false if that is not possible.
bool drop_root() {
  return ::getuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0);
}

class worker {
 public:
  worker(std::unique_ptr<database_file> file, std::string round)
      : round_(std::move(round)), writer_(std::move(file), [this] {
          return "dlv_" + round_ + "_" + std::to_string(++ids_);
        }) {}

  [[noreturn]] void run() {
    webhook::webhook w;
    w.id = "hook_1";
    w.organization = "acme";
    w.events = 0x1f;
    w.url = "https://receiver.example/";
    w.created = w.updated = wall_now();
    ask(create_webhook{w}, [](const answer&) {});  // there is one after the first round
    ask(release_leases{wall_now(), true}, [](const answer&) {});
    for (int n = 0;; ++n) {
      accept(n % 7 == 0 ? 50 : 1);
      if (n % 2 == 0) deliver();
      // Only what is far away: so a step of cleaning up is among the rest, and what was said stays.
      if (n % 11 == 0) ask(clean{}, [](const answer&) {});
    }
  }

 private:
  /// Some wait together.
  template <class F>
  void ask(request what, F then) {
    room_.acquire();
    const bool waits = writer_.ask(std::move(what), [this, then](const answer& a) {
      then(a);
      room_.release();
    });
    if (!waits) ::_exit(4);
  }

  void accept(int count) {
    accept_events e{"acme", {}, wall_now(), wall_now()};
    for (int i = 0; i < count; ++i) {
      const auto id = "evt_" + round_ + "_" + std::to_string(++events_);
      e.events.push_back(
          {id, webhook::event_type::deploy_failed, e.now, "{\"id\":\"" + id + "\"}", {}});
    }
    ask(e, [](const answer& a) {
      const auto* told = std::get_if<accepted>(&a);
      if (told == nullptr) return;
      for (const auto& one : told->events) say("a " + one.id + "\n");
    });
  }

  void deliver() {
    const auto lease = "lease_" + round_ + "_" + std::to_string(++leases_);
    const auto now = wall_now();
    ask(take_due{"hook_1", 8, now, lease, now + std::chrono::seconds(30)},
        [this, lease](const answer& a) {
          const auto* all = std::get_if<taken>(&a);
          if (all == nullptr) return;
          for (const auto& t : all->deliveries) note(t.delivery, lease);
        });
  }

  /// From the writer's thread, which waits for nothing.
  void note(const webhook::delivery& d, const std::string& lease) {
    note_attempt n;
    n.delivery = d.id;
    n.lease = lease;
    n.now = n.what.at = wall_now();
    n.what.code = 200;
    const bool waits = writer_.ask(n, [event = d.event](const answer& a) {
      if (std::holds_alternative<noted>(a)) say("d " + event + "\n");
    });
    if (!waits) ::_exit(4);
  }

  std::string round_;
  int events_ = 0, leases_ = 0;
  std::atomic<int> ids_{0};
  std::counting_semaphore<> room_{16};
  writer writer_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() < 2) return 2;
  if (words[0] == "open_as_nobody" && !drop_root()) return 3;
  auto file = database_file::open(std::string(words[1]), wall_now());
  if (!file) {
    say(file.error().what + "\n");
    return 1;
  }
  if (words[0] == "hold") {
    say("open\n");
    ::pause();
  }
  if (words[0] == "work" && words.size() == 3)
    worker(std::move(*file), std::string(words[2])).run();
  return 0;
}
