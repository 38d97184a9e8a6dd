#include "protocol/webhook/signature.hpp"

#include "protocol/base/base64.hpp"
#include "protocol/base/hmac.hpp"
#include "protocol/trace/ids.hpp"
#include "protocol/webhook/secrets.hpp"

namespace gate::webhook {
namespace {

std::int64_t seconds_of(wall_time t) {
  return std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count();
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  ((out += name) += ": ") += value;
  out += "\r\n";
}

}  // namespace

std::string hex_signature(std::string_view secret, std::string_view body) {
  return trace::hex(hmac_sha256(secret, body));
}

std::string standard_signature(std::string_view secret, std::string_view id, std::int64_t seconds,
                               std::string_view body) {
  std::string text(id);
  ((text += '.') += std::to_string(seconds)) += '.';
  text += body;
  const auto digest = hmac_sha256(key_of(secret), text);
  return "v1," + base64_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

signatures sign(const webhook& by, std::string_view event_id, wall_time now,
                std::string_view body) {
  signatures out;
  if (by.secret.empty()) return out;
  out.gate = hex_signature(by.secret, body);
  out.standard = standard_signature(by.secret, event_id, seconds_of(now), body);
  if (!by.old_secret.empty() && now < by.old_secret_until)
    out.standard += ' ' + standard_signature(by.old_secret, event_id, seconds_of(now), body);
  return out;
}

std::string header_lines(const webhook& by, const delivered& what, wall_time now,
                         std::string_view body) {
  std::string out;
  append_line(out, "User-Agent", "gate-hooks/" GATE_VERSION);
  append_line(out, "Content-Type", "application/json");
  append_line(out, "X-Gate-Delivery", what.delivery_id);
  append_line(out, "X-Gate-Attempt", std::to_string(what.attempt));
  append_line(out, "webhook-id", what.event_id);
  append_line(out, "webhook-timestamp", std::to_string(seconds_of(now)));
  const auto signed_by = sign(by, what.event_id, now, body);
  if (signed_by.gate.empty()) return out;
  append_line(out, "webhook-signature", signed_by.standard);
  append_line(out, "X-Gate-Signature", signed_by.gate);
  return out;
}

}  // namespace gate::webhook
