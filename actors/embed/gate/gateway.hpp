#pragma once
/// A gateway within your own program: `gate`, the MCP gateway, as an object. It listens on a port
/// of its own and runs on threads of its own; you give it a configuration document, the same JSON
/// text that the program `gate` reads, and may give it another one whenever you like, without a
/// restart. See docs/embedding.md. This header includes nothing but the standard library.
///
///   auto started = gate::gateway::start(text);
///   if (auto* wrong = std::get_if<gate::gateway::problems>(&started)) { … }
///   auto& g = std::get<gate::gateway>(started);
///
/// THREADS. `reload`, `reload_from_source`, `stop`, `wait`, `port` and `running` may be called from
/// any thread, at the same time. Moving and destroying is for one thread, when no other uses it.
/// From within one of the functions in `options`, only `stop`, `port` and `running` may be called.
/// Several gateways may live in one program; they share only the log.
///
/// WHAT IT LEAVES ALONE. Signals and their handlers, standard input and output, the limit of open
/// files, the working directory, the environment: all are your program's. It never ends the
/// process.
///
/// ERRORS are `problem` values with sentences for a human. Nothing here throws, except
/// std::bad_alloc and std::system_error when no thread can be started.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gate {

class gateway {
 public:
  /// One thing that is wrong: where in the document, as a JSON pointer (RFC 6901; empty: the
  /// document as a whole, or no fault of it), and what. Never quotes a secret.
  struct problem {
    std::string pointer;
    std::string what;
    bool operator==(const problem&) const = default;
  };
  using problems = std::vector<problem>;

  /// The log: sentences on standard error. It is the whole program's, not one gateway's.
  struct log {
    enum class level : std::uint8_t { debug, info, warn, error, off };
    enum class format : std::uint8_t { text, json };
    level least = level::info;
    format form = format::text;
  };

  struct options {
    /// Where to listen: an address or a name of this machine. 0: any free port, see `port`.
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;
    /// Threads that serve requests, 1 to 64. (A few more do what would hold these up.)
    std::size_t threads = 1;

    /// The secret of this name, wherever the document names one (`…Ref`); nothing if there is none.
    /// Asked when it is used, from any of the gateway's threads and from several at the same time;
    /// it must not block, or calls wait. Absent: the environment variable of this name.
    std::function<std::optional<std::string>(const std::string& name)> secrets;

    /// The document as it is now where it came from, for `reload_from_source`; if it can not be
    /// had, throws a std::exception that says why. Asked on a thread of its own, so it may block.
    /// Absent: the source can not be asked again.
    std::function<std::string()> reread;

    /// Takes the lines of the document's audit sink `stdout`: one JSON object each, without the
    /// line end. Called from the gateway's threads, one line at a time; it must not block. Absent:
    /// they go to standard output.
    std::function<void(std::string_view line)> audit;

    /// Absent: the log stays as it is; that is, as long as nobody has chosen, `info` and `text`.
    std::optional<gateway::log> log;
  };

  /// Starts a gateway: reads the document, binds the port, starts the threads. Upstreams are
  /// connected to later, when they are needed. Clients can connect when this returns. Either the
  /// running gateway or, if there is none, at least one problem; then nothing is left behind.
  static std::variant<gateway, problems> start(std::string_view document, const options& o);
  static std::variant<gateway, problems> start(std::string_view document);

  gateway(gateway&& from) noexcept;
  /// Ends the gateway that it held.
  gateway& operator=(gateway&& from) noexcept;
  /// Stops and waits, see there; all threads have ended then.
  ~gateway();

  /// Takes another document over, as a whole or not at all, and returns when it has come into
  /// effect: empty. Else what was wrong with it, and the one before goes on. Calls in flight end
  /// under the document they began with; upstreams that did not change keep their sessions; those
  /// that are gone finish what they do; clients hear of lists that have changed. Reloads at the
  /// same time are done one after the other.
  problems reload(std::string_view document);
  /// The same with what `options::reread` says.
  problems reload_from_source();

  /// The port that it listens on.
  std::uint16_t port() const noexcept;
  /// The version of this library.
  static std::string_view version() noexcept;

  /// Begins to end, and returns at once: no new connections, calls in flight have up to 10 s, then
  /// sessions with upstreams are closed and the audit trail is written. Again: no effect.
  void stop();
  /// Returns when it has ended, at most about 16 s after `stop`.
  void wait();
  /// The same, for this long at most; true if it has ended.
  bool wait_for(std::chrono::milliseconds most);
  /// It has not ended yet.
  bool running() const;

 private:
  struct state;
  explicit gateway(std::unique_ptr<state> s) noexcept;
  std::unique_ptr<state> state_;
};

}  // namespace gate
