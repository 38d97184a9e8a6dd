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
  /// What a request has beside its body.
  struct request {
    std::string_view method;
    std::string_view name;   ///< of what it is about; or empty
    std::string_view lines;  ///< further header lines
    trace_ptr trace;
    std::shared_ptr<const void> keep;  ///< keeps alive what its body is of
    bool repeatable = false;
  };
  void post(std::uint64_t id, const request& r, mcp::request_pieces text);
  /// One of ours; `members`: of its params.
  void post_own(std::uint64_t id, std::string_view method, std::string_view members,
                const trace_ptr& trace = {});
  /// Finds what is known of the tool of this name, which the call is about.
  void know_tool(work& w, std::string_view name) const;
  /// `_meta` of requests that are nobody's, or everybody's.
  std::string meta() const;
  /// Of a call; `rest`: what its client says there beside the envelope, raw object.
  std::string meta_of(const invoke& call, std::string_view rest) const;
  std::string filter() const;

  session_state& s_;
  sender& out_;
};

}  // namespace gate::upstream
