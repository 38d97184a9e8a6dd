#pragma once
/// A story before it is told, whichever kind it is of: what its seed and its scenario file have
/// made. Of a shorter one an operation is left out; of a simpler one it is a condition. Nothing
/// else changes. Told by who runs many.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gate::runs {

/// What came of a story.
struct telling {
  std::vector<std::string> complaints;  ///< each begins with the name of its checker
  std::string trace;                    ///< everything that happened; the same whenever it is told
  std::string account;                  ///< for a page, as JSON (account.hpp)
  std::uint64_t requests = 0;           ///< of clients
  std::uint64_t calls = 0;              ///< in them: of tools; events that are posted
  std::uint64_t faults = 0;             ///< among its operations
  std::chrono::milliseconds took{0};    ///< virtual time
};

/// What the trace has.
enum class detail : std::uint8_t {
  none,    ///< it is empty
  events,  ///< what happened, and what was answered
  turns,   ///< also whose turn it was, message by message
  page,    ///< as `events`, and `account` is what a page tells of it
};

class plot {
 public:
  virtual ~plot() = default;

  virtual std::uint64_t seed() const = 0;
  /// Operations, in their order.
  virtual std::size_t length() const = 0;
  virtual std::string operation(std::size_t i) const = 0;
  /// The same story without `count` operations from the `from`-th on.
  virtual std::unique_ptr<plot> without(std::size_t from, std::size_t count) const = 0;
  /// Who takes part, and under which conditions: what is no operation.
  virtual std::string setup() const { return {}; }
  /// The same operations under simpler conditions, one step each; the boldest ones first.
  virtual std::vector<std::unique_ptr<plot>> simpler() const { return {}; }
  /// Tells it, and asks all checkers. In this process, which tells one at a time.
  virtual telling tell(detail d) const = 0;
};
using plot_ptr = std::unique_ptr<plot>;

}  // namespace gate::runs
