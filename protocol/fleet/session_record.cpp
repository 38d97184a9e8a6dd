#include "protocol/fleet/session_record.hpp"

#include <algorithm>

#include "protocol/fleet/fields.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::fleet {
namespace {

bool is_object(std::string_view raw) {
  return raw.starts_with('{') && json::validate(raw) == json::fault::none;
}

/// It will be a header of ours.
bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

std::string encode(const session_record& r) {
  auto out = begin(shape::session);
  out.append(reinterpret_cast<const char*>(r.owner.data()), r.owner.size());
  put(out, r.version);
  put(out, r.capabilities);
  return out;
}

std::optional<session_record> read_session(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::session)) return {};
  session_record r;
  const auto owner = f.take(r.owner.size());
  std::copy(owner.begin(), owner.end(), r.owner.begin());
  r.version = f.text(limits::fleet_name_bytes);
  r.capabilities = f.text(limits::client_info_bytes);
  if (!f.complete()) return {};
  if (!mcp::is_session_version(r.version) || !is_object(r.capabilities)) return {};
  return r;
}

std::string encode(const subscription& s) {
  auto out = begin(shape::subscription);
  put(out, s.uri);
  put(out, s.upstream);
  return out;
}

std::optional<subscription> read_subscription(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::subscription)) return {};
  subscription s;
  s.uri = f.text(limits::session_subscription_bytes);
  s.upstream = f.text(limits::fleet_name_bytes);
  if (!f.complete() || s.uri.empty()) return {};
  return s;
}

bool is_log_level(std::string_view raw) {
  return mcp::severity(raw) != mcp::log_levels.size();
}

std::string encode(const bridge& b) {
  auto out = begin(shape::bridge);
  put(out, b.endpoint);
  put(out, b.session);
  put(out, b.version);
  put(out, b.features, 2);
  return out;
}

std::optional<bridge> read_bridge(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::bridge)) return {};
  bridge b;
  b.endpoint = f.text(limits::uri_bytes);
  b.session = f.text(limits::session_id_bytes);
  b.version = f.text(limits::fleet_name_bytes);
  b.features = static_cast<std::uint16_t>(f.number(2));
  if (!f.complete() || b.session.empty() || !is_visible(b.session)) return {};
  if (!mcp::is_session_version(b.version)) return {};
  return b;
}

std::string encode(const session_word& w) {
  auto out = begin(shape::word);
  put(out, static_cast<std::uint64_t>(w.what), 1);
  put(out, w.number, 8);
  put(out, w.session);
  put(out, w.name);
  put(out, w.text);
  return out;
}

std::optional<session_word> read_word(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::word)) return {};
  session_word w;
  const auto what = f.number(1);
  if (what > static_cast<std::uint64_t>(session_word::kind::follows)) return {};
  w.what = static_cast<session_word::kind>(what);
  w.number = f.number(8);
  w.session = f.text(limits::fleet_name_bytes);
  w.name = f.text(limits::fleet_name_bytes);
  w.text = f.text(limits::fleet_word_bytes);
  if (!f.complete()) return {};
  return w;
}

}  // namespace gate::fleet
