#pragma once
/// The real world, assembled: an actor system whose workers are I/O threads, a listening socket,
/// and the doors of each unit. actors/embed makes one for each gateway; tests and simulations make
/// their own doors instead.
#include <caf/actor_system.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/limits.hpp"
#include "protocol/resp/store_url.hpp"
#include "transport/clock.hpp"
#include "transport/interfaces.hpp"
#include "transport/process.hpp"
#include "transport/task_units.hpp"

namespace gate {

class metrics;

namespace process {
class keeper;
}

namespace scheduler {
class io_unit;
}

struct unit_doors {
  caf::execution_unit* unit = nullptr;
  ingress_handle ingress;
  egress_handle egress;      ///< null where nothing is fetched
  store_handle store;        ///< null without one
  children_handle children;  ///< null without a keeper
  task_units_ptr tasks;      ///< one for all units
};

/// An EGRESS over real sockets, with HTTP and TLS. Who does not name it does not link them.
egress_handle spawn_egress(caf::actor_system& system, scheduler::io_unit* unit);

/// The shared store of a fleet. Who does not name it does not link it.
class shared_store {
 public:
  virtual ~shared_store() = default;
  /// The STORE of a unit. It does nothing before `open`.
  virtual store_handle spawn(caf::actor_system& system, scheduler::io_unit* unit) = 0;
  /// Has all of them connect, and waits: what is wrong, or nothing.
  virtual std::optional<problem> open() = 0;
};
/// Throws nothing; what it counts, it counts in `m`.
std::shared_ptr<shared_store> make_shared_store(resp::store_url to, std::shared_ptr<metrics> m);

/// A file whose changes are reloads.
struct watched_file {
  std::string path;
  std::optional<file_stamp> known;  ///< as it was before it was read
  std::chrono::milliseconds poll = limits::watch_poll;
};

class runtime {
 public:
  struct options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;  ///< 0: any free port
    std::size_t threads = 1;
    std::size_t max_body_bytes = 1024 * 1024;
    /// What may wait for clients to take it, and of bodies that have come in part; in each unit.
    std::size_t waiting_bytes = limits::waiting_total;
    std::size_t bodies_bytes = limits::bodies_total;
    /// What the deadlines of client connections are measured with, once a second.
    monotonic_clock now = &std::chrono::steady_clock::now;
    /// Files that may be open; 0: as many as the system allows.
    std::size_t descriptors = 0;
    /// Files, pipes and sockets that the program needs beside those of a gateway.
    std::size_t own_descriptors = 0;
    /// The process is nothing but this: its signals and its limit of open files are ours to take.
    bool owns_process = true;
    /// Nobody can connect: `host` and `port` mean nothing.
    bool listens = true;
    /// Makes what fetches, `spawn_egress`; null: nothing is fetched.
    egress_handle (*egress)(caf::actor_system&, scheduler::io_unit*) = nullptr;
    /// What the instances of a fleet share; null: nothing. It has to answer before the port is
    /// bound.
    std::shared_ptr<shared_store> store{};
    /// Who starts child processes, if there are to be any.
    std::shared_ptr<process::keeper> keeper{};
    std::optional<watched_file> watch;
  };

  /// Binds the socket and starts the threads; accepts nothing before INGRESS is told to serve.
  static result<std::unique_ptr<runtime>> start(const options& o);
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  caf::actor_system& system();
  const std::vector<unit_doors>& units() const;
  const watch_handle& watch() const;
  /// The port that was bound.
  std::uint16_t port() const;

 private:
  runtime();
  struct system_config;
  struct state;
  std::unique_ptr<state> state_;
};

/// Why nobody can listen there.
struct listening_trouble {
  std::string what;
  std::string owner;    ///< the program that has the port; empty: it is not known, or free
  bool in_use = false;  ///< somebody has the port
};
/// Binds and closes again, and accepts nobody. Nothing: the address is free.
std::optional<listening_trouble> could_not_listen(const std::string& host, std::uint16_t port);

/// Client connections that each of so many units may have where so many files may be open; `own`:
/// what the program needs beside.
std::size_t connections_within(std::size_t limit, std::size_t units, std::size_t own);

/// A GET of the given URL with a short deadline; true if any HTTP answer came. For `--healthcheck`.
bool http_answers(const std::string& host, std::uint16_t port, const std::string& target);

}  // namespace gate
