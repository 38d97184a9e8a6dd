#pragma once
/// TOOL DESK: calls that a server without sessions has refused because their headers were not those
/// that it wants: they went by an old list of tools. Part of WORK DESK, which does the rest.
#include <memory>
#include <string>

#include "actors/upstream/carrier.hpp"
#include "actors/upstream/session_basics.hpp"

namespace gate::upstream {

class work_desk;

class tool_desk {
 public:
  tool_desk(session_basics& s, carrier& by, work_desk& desk) : s_(s), by_(by), desk_(desk) {}

  /// It was refused so, or a page of the list has come that it has fetched.
  void renew(job w, const jsonrpc::message& m, std::shared_ptr<const std::string> text);
  /// A list that calls have waited for has come, or will not.
  void look();

 private:
  void begin(job w, std::shared_ptr<const std::string> text);
  void go_on(job w);
  void refuse(work& w);

  session_basics& s_;
  carrier& by_;
  work_desk& desk_;
};

}  // namespace gate::upstream
