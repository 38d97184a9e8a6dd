#pragma once
/// Documents on their way to be the configuration: who wants which judged, whether there is room,
/// and what each is told in the end. LOADER judges one after the other. Part of GATEWAY.
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "actors/supervisor/doors.hpp"
#include "transport/metrics.hpp"

namespace gate::supervisor {

/// What became of the operator's documents. (DISCOVERY counts those of its source.)
class reload_tally {
 public:
  explicit reload_tally(metrics& m)
      : by_outcome_(m, metric::config_reloads), outdated_(m.get(metric::config_outdated)) {}

  /// `number`: of the wish. One that was refused at once is a later one than those that wait, and
  /// what comes of these says nothing of it.
  void count(std::uint64_t number, reload_outcome what) {
    by_outcome_[what].add();
    if (number < latest_) return;
    latest_ = number;
    outdated_.set(what == reload_outcome::applied ? 0 : 1);
  }

 private:
  labelled<reload_outcome> by_outcome_;
  metrics::value outdated_;
  std::uint64_t latest_ = 0;
};

class reloads {
 public:
  using answer = std::function<void(reloaded)>;

  reloads(reloads_door& door, metrics& counted) : door_(door), tally_(counted) {}

  /// An embedding program's wish.
  void by_program(reload_with what, answer to);
  /// The operator's.
  void by_signal();
  void by_discovery(discovered what);
  /// LOADER has judged one.
  void on_loaded(const loaded& m);
  /// LOADER crashed: what it worked on, and what waited for it, is refused.
  void loader_lost();
  /// Whoever waits is not answered any more.
  void clear() { waiting_.clear(); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  enum class cause : std::uint8_t { signal, program, discovery };
  struct wish {
    cause why = cause::signal;
    answer to;                   ///< of a program
    std::uint64_t question = 0;  ///< of DISCOVERY
  };
  void load(wish w, std::optional<std::string> text);

  reloads_door& door_;
  reload_tally tally_;
  std::map<std::uint64_t, wish> waiting_;  ///< by number; the first one is worked on
  std::uint64_t last_ = 0;
};

}  // namespace gate::supervisor
