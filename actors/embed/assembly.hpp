#pragma once
/// A gateway, assembled of its parts: the runtime with its threads and doors, the snapshot of a
/// document, GATEWAY. The program `gate` (main) makes one that owns the process; the class that
/// embedding programs see (gate/gateway.hpp) makes one that leaves the process alone. Apart from
/// `ask` and `stop`, for one thread.
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/embed/recorders.hpp"
#include "actors/messages.hpp"
#include "actors/supervisor/gateway_actor.hpp"
#include "config/problem.hpp"
#include "transport/clock.hpp"
#include "transport/runtime.hpp"

namespace gate::embed {

using problems = std::vector<config::config_problem>;

/// A problem that is no fault of the document.
problems failure(std::string what);

struct assembly_options {
  /// Where to listen, on how many threads, who owns the process, which file is watched. The
  /// largest body of a request is the document's to say.
  runtime::options world;
  secret_source secrets;
  std::function<result<std::string>()> read_config;  ///< empty: there is nothing to read again
  /// Takes the audit lines that are for standard output, each with its LF. Empty: that does.
  audits::sink audit;
  /// What is recorded; nothing, unless there is a path.
  recording_options record{};
};

class assembly {
 public:
  /// Everything that is wrong with the document, or a gateway that serves it.
  static std::variant<std::unique_ptr<assembly>, problems> start(std::string_view document,
                                                                 assembly_options o);
  /// Stops and waits.
  ~assembly();
  assembly(const assembly&) = delete;
  assembly& operator=(const assembly&) = delete;

  /// Has GATEWAY take over a document (nothing: that of the source), and waits. Any thread that is
  /// none of the gateway's own.
  problems ask(reload_with what);
  /// Any thread; returns at once.
  void stop();
  /// Ready when everything has ended.
  const std::shared_future<void>& ended() const { return ended_; }
  /// Once it has ended: it was GATEWAY's own decision, nothing crashed.
  bool in_good_order() const { return *orderly_; }

  std::uint16_t port() const { return runtime_->port(); }

 private:
  assembly() = default;

  std::unique_ptr<runtime> runtime_;
  supervisor::gateway_handle boss_;
  std::shared_ptr<bool> orderly_ = std::make_shared<bool>(false);
  std::shared_future<void> ended_;
  std::unique_ptr<recorders> recorders_;  ///< null: nothing is recorded
};

}  // namespace gate::embed
