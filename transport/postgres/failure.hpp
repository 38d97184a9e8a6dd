#pragma once
/// What went wrong with a statement or a connection, and what is to be done about it. Pure.
#include <cstdint>
#include <string>
#include <string_view>

#include "transport/ledger/ledger.hpp"

namespace gate::postgres {

struct failure {
  enum class kind : std::uint8_t {
    lost,         ///< the connection is of no use any more
    again,        ///< somebody else was in the way: the same once more may do
    unavailable,  ///< the server can not do it now
    invalid,      ///< it can never be done as it was asked
  };
  kind what_kind = kind::unavailable;
  std::string what;  ///< a sentence

  ledger::refusal as_refusal() const;
};

/// By the SQLSTATE of the server's answer. `where` is an address's name.
failure failure_of(std::string_view state, std::string_view message, const std::string& where);
/// The way to it is broken; `message` is libpq's.
failure lost(std::string_view message, const std::string& where);
/// There was none yet: `message` is libpq's with PQERRORS_VERBOSE, which has the SQLSTATE in it if
/// it is the server that will not.
failure not_connected(std::string_view message, const std::string& where);
/// libpq's messages as part of a sentence: one line, without the full stop.
std::string one_line(std::string_view message);

}  // namespace gate::postgres
