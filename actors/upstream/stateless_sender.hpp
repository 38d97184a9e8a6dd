#pragma once
/// STATELESS SENDER: what is sent to a server of the stateless generation (MCP 2026-07-28): each
/// request says itself who asks and what he can do, and its headers repeat what it is about. Part
/// of UPSTREAM SESSION.
#include <string>
#include <string_view>

#include "actors/upstream/sender.hpp"

namespace gate::upstream {

class stateless_sender {
 public:
  stateless_sender(session_state& s, sender& out) : s_(s), out_(out) {}

  /// The number of the fetch, of all.
  std::uint64_t discover(const trace_ptr& trace = {});
  std::uint64_t post_call(work& w);
  std::uint64_t post_list(const work& w);
  /// For the changes that others want to hear of: see `hears_anything`.
  void listen(std::uint64_t id);

  /// Is there something that the server would tell on a stream?
  bool hears_anything() const;

 private:
  std::uint64_t post(std::string_view method, std::string_view params, std::string_view members,
                     bool repeatable, const trace_ptr& trace, std::string_view lines = {});
  /// Finds what is known of the tool that the call is about.
  void know_tool(work& w, std::string_view params) const;
  /// Of requests that are nobody's, or everybody's.
  std::string envelope() const;
  std::string envelope_of(const work& w) const;
  std::string filter() const;

  session_state& s_;
  sender& out_;
};

}  // namespace gate::upstream
