#include "protocol/refusals.hpp"

#include "protocol/json/scan.hpp"

namespace gate {

std::string refusal_data(const refusal& r) {
  std::string out = R"({"gate":{"reason":")";
  out += row(r.why).word;
  out += '"';
  if (!r.upstream.empty()) {
    out += R"(,"upstream":)";
    json::append_quoted(out, r.upstream);
  }
  if (r.retry_after_ms >= 0) {
    out += R"(,"retryAfterMs":)";
    out += std::to_string(r.retry_after_ms);
  }
  out += '}';
  if (!r.more.empty()) out.append(",").append(r.more);
  out += '}';
  return out;
}

}  // namespace gate
