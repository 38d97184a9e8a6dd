/// bench_ledger: how many events a second LEDGER accepts durably, beside what the disk can sync.
///
///   bench_ledger FOLDER [SECONDS [postgres://…]]
///
/// Prints one JSON line for each: writes of 4 KiB with fdatasync, one after the other; events in
/// requests of 100, eight at a time; single events of 32 callers, each of which waits for its
/// answer; deliveries that are taken and noted. The last two lines: a file with a million pending
/// deliveries, what opening it takes and what the process keeps in memory then. With an address,
/// all but these in an empty PostgreSQL there instead of a file.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "simulations/benchmarks/stopwatch.hpp"
#include "transport/ledger/writer.hpp"
#include "transport/postgres/database.hpp"

namespace {

using namespace gate;
using namespace gate::ledger;
using gate::bench::require;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t body_bytes = 500;

webhook::wall_time now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

double seconds_since(clock_type::time_point t) {
  return std::chrono::duration<double>(clock_type::now() - t).count();
}

double syncs_per_second(const std::string& folder, double seconds) {
  const auto path = folder + "/sync";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  require(file >= 0, "the folder can not be written");
  const std::string block(4096, 'x');
  std::size_t n = 0;
  const auto start = clock_type::now();
  for (; seconds_since(start) < seconds; ++n) {
    require(::write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size()),
            "the disk is full");
    require(::fdatasync(file) == 0, "fdatasync failed");
  }
  const auto out = static_cast<double>(n) / seconds_since(start);
  ::close(file);
  std::filesystem::remove(path);
  return out;
}

/// Some callers, each with one request at a time.
class load {
 public:
  explicit load(const std::string& where) : house_(open(where)) {
    webhook::webhook w;
    w.id = "hook_1";
    w.organization = "acme";
    w.events = 0x1f;
    w.url = "https://receiver.example/";
    w.created = w.updated = now();
    wait_for(create_webhook{w});
  }

  /// Until `over`: so many callers, whose requests `make` makes.
  template <class Make, class Over>
  void run(int callers, Make make, Over over) {
    std::counting_semaphore<> room(callers);
    while (!over()) {
      room.acquire();
      ask(make(), room);
    }
    for (int i = 0; i < callers; ++i) room.acquire();
  }

  request events(std::size_t count) {
    accept_events e{"acme", {}, now(), now()};
    for (std::size_t i = 0; i < count; ++i)
      e.events.push_back({id("evt_", ++events_),
                          webhook::event_type::deploy_success,
                          e.now,
                          std::string(body_bytes, 'x'),
                          {}});
    return e;
  }

  /// Takes what is due and notes it, until nothing is or the time is over.
  std::size_t deliver(double seconds) {
    std::size_t all = 0, round = 0;
    std::counting_semaphore<> room(256);
    const auto start = clock_type::now();
    while (seconds_since(start) < seconds) {
      const auto lease = "lease_" + std::to_string(++round);
      const auto t = now();
      const auto some =
          std::get<taken>(wait_for(take_due{"hook_1", 64, t, lease, t + std::chrono::seconds(30)}));
      if (some.deliveries.empty()) break;
      for (const auto& d : some.deliveries) {
        note_attempt n{d.delivery.id, lease, {}, webhook::state::succeeded, {}, "ok", now()};
        n.what.code = 200;
        room.acquire();
        ask(std::move(n), room);
      }
      all += some.deliveries.size();
    }
    for (int i = 0; i < 256; ++i) room.acquire();
    return all;
  }

  answer wait_for(request r) {
    answer out;
    std::binary_semaphore told(0);
    const bool waits = house_->ask(std::move(r), [&](answer a) {
      out = std::move(a);
      told.release();
    });
    require(waits, "the queue is full");
    told.acquire();
    return out;
  }
  std::size_t accepted_events() const { return events_; }
  std::uint64_t commits() const { return house_->commits(); }

 private:
  std::unique_ptr<house> open(const std::string& where) {
    auto ids = [this] { return id("dlv_", ++ids_); };
    if (where.starts_with("postgres"))
      return given(postgres::database::open(where, {std::move(ids), now}));
    return std::make_unique<writer>(given(database_file::open(where, now())), std::move(ids));
  }
  template <class T>
  static T given(result<T> what) {
    if (!what) std::fprintf(stderr, "bench: %s\n", what.error().what.c_str());
    require(what.has_value(), "no ledger");
    return std::move(*what);
  }
  void ask(request r, std::counting_semaphore<>& room) {
    const bool waits = house_->ask(std::move(r), [&room](const answer& a) {
      require(!std::holds_alternative<refusal>(a), "a request was refused");
      room.release();
    });
    require(waits, "the queue is full");
  }
  /// As long as real ones are, and in their order.
  static std::string id(const char* kind, std::size_t n) {
    auto digits = std::to_string(n);
    return kind + std::string(26 - digits.size(), '0') + digits;
  }

  std::atomic<std::size_t> ids_{0};
  std::size_t events_ = 0;
  std::unique_ptr<house> house_;
};

void tell(const char* name, double per_second, double per_commit) {
  std::printf("{\"name\":\"%s\",\"per_second\":%.0f,\"per_commit\":%.1f}\n", name, per_second,
              per_commit);
  std::fflush(stdout);
}

void accept_for(load& l, const char* name, int callers, std::size_t together, double seconds) {
  const auto before = l.accepted_events();
  const auto commits = l.commits();
  const auto start = clock_type::now();
  l.run(
      callers, [&] { return l.events(together); }, [&] { return seconds_since(start) > seconds; });
  const auto took = seconds_since(start);
  const auto n = static_cast<double>(l.accepted_events() - before);
  tell(name, n / took, n / static_cast<double>(l.commits() - commits));
}

std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      std::size_t kib = 0;
      status >> kib;
      return kib;
    }
  return 0;
}

void a_million(const std::string& path) {
  {
    load l(path);
    l.run(
        8, [&] { return l.events(1000); }, [&] { return l.accepted_events() >= 1'000'000; });
  }
  const auto start = clock_type::now();
  load l(path);
  l.wait_for(release_leases{now(), true});
  l.wait_for(list_due{{}, 100});
  const auto n = std::get<counts>(l.wait_for(count_all{})).deliveries[0];
  std::printf("{\"name\":\"open with pending\",\"pending\":%llu,\"ms\":%.0f}\n",
              static_cast<unsigned long long>(n), seconds_since(start) * 1000);
  l.deliver(2);
  std::printf("{\"name\":\"memory with pending\",\"resident_kib\":%zu}\n", resident_kib());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "bench_ledger FOLDER [SECONDS [postgres://...]]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const double seconds = argc > 2 ? std::atof(argv[2]) : 5;
  tell("syncs", syncs_per_second(folder, seconds), 1);
  const std::string server = argc > 3 ? argv[3] : "";
  {
    load l(server.empty() ? folder + "/batches.db" : server);
    accept_for(l, "accepted, 100 together", 8, 100, seconds);
  }
  {
    load l(server.empty() ? folder + "/singles.db" : server);
    accept_for(l, "accepted, single of 32 callers", 32, 1, seconds);
    const auto commits = l.commits();
    const auto start = clock_type::now();
    const auto n = static_cast<double>(l.deliver(seconds));
    tell("taken and noted", n / seconds_since(start),
         n / static_cast<double>(l.commits() - commits));
  }
  if (server.empty()) a_million(folder + "/million.db");
  tell("syncs", syncs_per_second(folder, seconds), 1);
}
