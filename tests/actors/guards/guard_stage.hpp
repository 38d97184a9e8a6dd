#pragma once
/// What the tests of guards need beside a stage: somebody who asks and remembers what was said, and
/// the lines that are logged.
#include <string>
#include <vector>

#include "tests/support/actor_test.hpp"
#include "transport/log.hpp"

namespace gate::guards::testing {

/// An actor of one message that keeps all of them.
template <class Handle, class Message>
struct ear {
  std::shared_ptr<std::vector<Message>> heard = std::make_shared<std::vector<Message>>();
  Handle handle;

  explicit ear(caf::actor_system& system)
      : handle(system.spawn([heard = heard](typename Handle::pointer) {
          return typename Handle::behavior_type{[heard](const Message& m) { heard->push_back(m); }};
        })) {}
  /// What was heard since the last look.
  std::vector<Message> take() { return std::exchange(*heard, {}); }
  Message last() const { return heard->at(heard->size() - 1); }
};

class guard_test : public gate::sim::actor_test {
 public:
  guard_test() {
    lines().clear();
    log::redirect([](std::string_view line) { lines().emplace_back(line); });
  }
  ~guard_test() override {
    clear_stage();
    log::redirect(nullptr);
  }
  /// Lines that contain this.
  static std::size_t logged(std::string_view what) {
    std::size_t out = 0;
    for (const auto& line : lines()) out += line.find(what) != std::string::npos;
    return out;
  }
  static std::vector<std::string>& lines() {
    static std::vector<std::string> all;
    return all;
  }
};

}  // namespace gate::guards::testing
