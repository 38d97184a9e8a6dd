#pragma once
/// Documents on their way to be the configuration: who wants which judged, whether there is room,
/// and what each is told in the end. LOADER judges one after the other. Part of GATEWAY.
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "actors/supervisor/doors.hpp"

namespace gate::supervisor {

class reloads {
 public:
  using answer = std::function<void(reloaded)>;

  explicit reloads(reloads_door& door) : door_(door) {}

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
  std::map<std::uint64_t, wish> waiting_;  ///< by number; the first one is worked on
  std::uint64_t last_ = 0;
};

}  // namespace gate::supervisor
