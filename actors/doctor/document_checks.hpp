#pragma once
/// What can be said of a document without asking anybody else: its problems, what its fields mean
/// together, the secrets that it names, and the machine that it is to be served on. Pure: the
/// environment and the machine are parameters.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "actors/doctor/finding.hpp"
#include "config/document.hpp"
#include "config/parse.hpp"
#include "protocol/base/result.hpp"
#include "transport/clock.hpp"

namespace gate::doctor {

/// Who has the port: a gateway, most likely the one that is looked at; another program, or nobody
/// at all; somebody who can not be seen, since the process is another user's.
enum class port_owner : std::uint8_t { gateway, other, unseen };
/// The port can not be had.
struct taken_port {
  std::string what;
  port_owner by = port_owner::other;
};

/// What the process would be started with, and where.
struct machine {
  std::string host;
  std::uint16_t port = 0;
  unsigned threads = 1;
  std::size_t descriptors = 0;  ///< that the process may have
  std::size_t clients = 0;      ///< connections that these leave room for, of all threads
  secret_source secrets;
  std::function<std::optional<taken_port>()> port_taken;
  std::function<result<void>(const std::string& path)> could_write;
};

/// Every problem of the document. Without one, the document itself is told as good.
findings document_problems(const config::parsed& read);

/// Of a document without problems.
findings document_advice(const config::document& doc);
findings secrets_of(const config::document& doc, const secret_source& secrets);
/// Of one upstream, which need not be the document's: what is wrong with its secrets, of no place.
findings wrong_secrets_of(const config::upstream& u, const secret_source& secrets);
findings machine_findings(const config::document& doc, const machine& at);
/// Do clients reach it under its own names?
findings allowlist_findings(const config::document& doc, const machine& at);

/// All of these, in this order.
findings examine_document(const config::parsed& read, const machine& at);

}  // namespace gate::doctor
