#pragma once
/// The places that the audit trail goes to, as the document has them: made at boot, since the
/// section `audit` can not change while the process runs, and kept over crashes of their SINKs.
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "actors/audit/sink.hpp"
#include "actors/outbox/courier.hpp"
#include "config/document.hpp"
#include "config/problem.hpp"
#include "protocol/base/result.hpp"
#include "transport/clock.hpp"

namespace gate::audits {

struct place {
  config::sink_type type = config::sink_type::standard_output;
  sink lines;             ///< of standard output, or of a file
  outbox::address where;  ///< of a webhook
};

/// Who takes the lines of sinks in this process.
struct openers {
  std::function<sink()> standard_output;
  /// What is wrong with the file is an error, without its path.
  std::function<result<sink>(const std::string& path, std::uint64_t max_bytes)> file;
};

/// Opens the files, and reads the secrets, of this section. Everything that is wrong has a pointer,
/// and quotes no secret.
std::variant<std::vector<place>, std::vector<config::config_problem>> open_places(
    const config::audit_section& section, const secret_source& secrets, const openers& how);

}  // namespace gate::audits
