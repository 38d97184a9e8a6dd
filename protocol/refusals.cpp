#include "protocol/refusals.hpp"

#include "protocol/json/scan.hpp"

namespace gate {
namespace {

void append_text(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out.append(",\"").append(key).append("\":");
  json::append_quoted(out, value);
}

}  // namespace

refusal unavailable_upstream(std::string_view id, no_answer why) {
  refusal out;
  out.why = reason::upstream_down;
  out.upstream = id;
  out.message = "upstream \"";
  out.message.append(id).append("\" unavailable (").append(to_string(why)) += ')';
  return out;
}

refusal unavailable_upstreams(std::string_view ids) {
  refusal out;
  out.why = reason::upstream_down;
  out.message = "all upstreams unavailable: ";
  out.message += ids;
  return out;
}

refusal invalid_state() {
  return {reason::state_invalid, "invalid or expired requestState: begin the request anew", {}, -1};
}

refusal unavailable_task(std::string_view ids) {
  refusal out;
  out.why = reason::upstream_down;
  out.message = "the task may be at an upstream that is unavailable: ";
  out.message += ids;
  return out;
}

std::string refusal_data(const refusal& r) {
  std::string out = R"({"gate":{"reason":")";
  out += row(r.why).word;
  out += '"';
  append_text(out, "upstream", r.upstream);
  if (r.retry_after_ms >= 0) {
    out += R"(,"retryAfterMs":)";
    out += std::to_string(r.retry_after_ms);
  }
  append_text(out, "resetsAt", r.resets_at);
  append_text(out, "tenant", r.tenant);
  out += '}';
  if (!r.more.empty()) out.append(",").append(r.more);
  out += '}';
  return out;
}

}  // namespace gate
