#include "actors/supervisor/credential_warnings.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {
namespace {

using config::compiled_upstream;
using config::credential_source;

bool in_clear_text(const compiled_upstream& u) {
  return config::row(u.auth.strategy).from != credential_source::nothing &&
         std::ranges::any_of(u.endpoints,
                             [](const http::url& e) { return !e.tls && !e.loopback(); });
}

bool passes_tokens(const compiled_upstream& u) {
  return config::row(u.auth.strategy).from == credential_source::caller;
}

template <class Concern>
void warn(const config::snapshot* before, const config::snapshot& now, Concern concerns,
          std::string_view what) {
  std::size_t found = 0;
  for (const auto& u : now.upstreams) {
    if ((before && before->at(u.index)) || !concerns(u)) continue;
    if (++found <= limits::logged_upstreams) log::warn(what, {{"upstream", u.id}});
  }
  if (found > limits::logged_upstreams)
    log::warn("The last warning holds for further upstreams.",
              {{"more", std::to_string(found - limits::logged_upstreams)}});
}

}  // namespace

void warn_of_credentials(const config::snapshot* before, const config::snapshot& now) {
  warn(before, now, in_clear_text,
       "The credential for an upstream crosses the network in clear text: its URL is http. "
       "Prefer https, or an upstream on this machine.");
  warn(before, now, passes_tokens,
       "An upstream gets the callers' own tokens (strategy passthrough). The MCP authorization "
       "specification forbids to pass tokens through: whoever runs it can use them here, and "
       "elsewhere. Prefer token-exchange.");
}

}  // namespace gate::supervisor
