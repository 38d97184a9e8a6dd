#pragma once
/// COMPLAINTS: what the log hears of an upstream that fails: once when it begins, and once when it
/// is over, whichever session is told of it. Of the check of an endpoint nothing: whoever wanted it
/// decides what is to be logged. Part of UPSTREAM SESSION.
#include <cstddef>
#include <string>
#include <string_view>

#include "actors/upstream/credential_slot.hpp"
#include "actors/upstream/endpoint_choice.hpp"
#include "actors/upstream/facts.hpp"
#include "actors/upstream/peers.hpp"
#include "actors/upstream/session_doors.hpp"

namespace gate::upstream {

class complaints {
 public:
  complaints(const facts& of, session_doors& doors, peers& others, const credential_slot& shown,
             const endpoint_choice& where, bool check)
      : of_(of), doors_(doors), peers_(others), shown_(shown), where_(where), check_(check) {}

  /// `what`: as in "An upstream can not be reached"; `detail` may name hosts, never a credential.
  /// `trace`: of the call that it failed; null: of none that is known.
  void failed(std::string_view what, std::string_view detail, const trace_ptr& trace = {});
  void worked();
  /// It lists items that can not be used.
  void left_out(std::size_t items);
  /// It lists tools that no client may use.
  void left_out(const mcp::stateless::unusable_tools& tools);
  /// Of a check: how it failed, as far as that may be said.
  const std::string& of_check() const { return detail_; }

 private:
  const facts& of_;
  session_doors& doors_;
  peers& peers_;
  const credential_slot& shown_;
  const endpoint_choice& where_;
  bool check_;
  std::string detail_;
};

}  // namespace gate::upstream
