#pragma once
/// What gate-up prints: a table of the servers. Pure.
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace gate::up {

struct server_row {
  std::string id;
  bool well = false;
  std::vector<std::string> tools;        ///< names without the id
  std::string why;                       ///< of one that is not well; or what is still awaited
  std::deque<std::string> last_lines{};  ///< of its standard error
};

/// A line a server, of at most `width` columns; below one that failed what it said last.
std::string table_of(const std::vector<server_row>& rows, std::size_t width = 100);

/// Why a server does not run; where it is a program that is not there and comes with something
/// else, what that is.
std::string with_origin(std::string why);

/// Is it a program that fetches a server when it is not there yet, and runs it then?
bool may_fetch(std::string_view command);

}  // namespace gate::up
