#pragma once
/// Where a PostgreSQL is, as its operator writes it: `postgres://user:password@host:port/database
/// ?sslmode=verify-full`, or `postgresql://…`; with `host=%2Frun%2Fpostgresql` by a local socket.
/// Pure. Made once at the start. It has the password in it: only `name()` is for sentences.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::postgres {

class address {
 public:
  /// The error says nothing of what was written, which may be the password.
  static result<address> parse(std::string_view url);

  /// `PostgreSQL at host:5432/database`.
  const std::string& name() const { return name_; }
  /// Keywords of libpq with their values.
  const std::vector<std::pair<std::string, std::string>>& words() const { return words_; }

 private:
  address() = default;

  std::string name_;
  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace gate::postgres
