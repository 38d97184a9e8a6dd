#pragma once
/// What the programs beside the gateway (gate-hooks, gate-discovery) have in common: how they
/// complain, begin and end, and who may call them. Each is one actor that owns the rest, in a
/// runtime of one unit. Asked by their mains, which hand in what they write to.
#include <functional>
#include <future>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "config/cli.hpp"
#include "protocol/webhook/callers.hpp"
#include "transport/interfaces.hpp"
#include "transport/runtime.hpp"

namespace gate::companion {

struct program {
  std::string_view name;
  std::ostream& out;
  std::ostream& err;

  /// An exit code, and why.
  int complain(std::string_view what, int code) const;
  int say(std::string_view text) const;
  int say_version() const;
};

/// The actor that the program is.
class only_actor {
 public:
  /// For its parts: it ends because it was asked to.
  std::function<void()> stopped() const;
  /// From here on WATCH tells it of signals.
  void is(const watcher_handle& who, runtime& world) const;
  /// Until it has ended. False: it crashed, and what it supervised may run on, so that whoever asks
  /// ends the process.
  bool wait() const;

 private:
  std::shared_ptr<bool> orderly_ = std::make_shared<bool>(false);
  std::shared_ptr<std::promise<void>> ended_ = std::make_shared<std::promise<void>>();
};

/// Logs, binds, serves, and joins the threads: the exit code.
int run(const program& p, config::log_format format, config::log_level level,
        const runtime::options& w, const std::function<int(runtime&)>& serve);

/// Whoever shows the token in that variable; an empty name: everybody.
result<webhook::callers> bearer_of(const std::string& variable);

}  // namespace gate::companion
