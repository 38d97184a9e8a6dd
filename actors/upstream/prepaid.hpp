#pragma once
/// What BUDGET has said to a request before it reached a session: where it has to ask a store, it
/// is asked for the upstream's limit and for the costs in one question (decision 0028). The answer
/// travels with the request, and counts when that is about to be sent, as if it were given then.
/// One that nobody takes, whatever became of its request, gives back what was charged. Made by
/// UPSTREAM (`charged_ahead`); taken by UPSTREAM SESSION.
#include "actors/messages/guards.hpp"

namespace gate::upstream {

class prepaid {
 public:
  prepaid() = default;
  virtual ~prepaid() = default;
  prepaid(const prepaid&) = delete;
  prepaid& operator=(const prepaid&) = delete;

  /// Once.
  virtual charged take() = 0;
};

}  // namespace gate::upstream
