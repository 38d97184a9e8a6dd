#include "protocol/mcp/stateless/envelope.hpp"

#include <array>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::array hop_keys{keys::version, keys::capabilities, keys::client, keys::log_level};

problem about(std::string_view key, std::string_view what) {
  return problem{"params._meta[\"" + std::string(key) + "\"] " + std::string(what)};
}

/// `f(index in hop_keys, raw value)`, for each member of the envelope.
template <class F>
void each_hop_key(std::string_view raw_meta, F&& f) {
  each_member(raw_meta, [&](std::string_view key, std::string_view value) {
    for (std::size_t i = 0; i < hop_keys.size(); ++i)
      if (json::same_key(key, hop_keys[i])) f(i, value);
  });
}

}  // namespace

std::string leave_out(std::string_view object, std::span<const std::string_view> names) {
  std::string out = "{";
  each_member(object, [&](std::string_view key, std::string_view value) {
    for (const auto name : names)
      if (json::same_key(key, name)) return;
    out.append(out.size() > 1 ? ",\"" : "\"").append(key).append("\":").append(value);
  });
  return out + '}';
}

std::string lasting_capabilities(std::string_view raw) {
  static constexpr std::array tasks{std::string_view("tasks")};
  if (json::member(raw, tasks[0]).empty()) return std::string(raw.empty() ? "{}" : raw);
  return leave_out(raw, tasks);
}

capability_profile asked_by(std::string_view raw_capabilities) {
  return read_profile(raw_capabilities) & static_cast<capability_profile>(~task_capabilities);
}

bool names_version(std::string_view raw_meta) {
  bool found = false;
  if (!raw_meta.empty())
    each_hop_key(raw_meta, [&](std::size_t i, auto) { found |= hop_keys[i] == keys::version; });
  return found;
}

result<envelope> read_envelope(std::string_view raw_meta) {
  std::array<std::string_view, hop_keys.size()> found;
  std::string_view twice;
  each_hop_key(raw_meta, [&](std::size_t i, std::string_view value) {
    if (!found[i].empty()) twice = hop_keys[i];
    found[i] = value;
  });
  if (!twice.empty()) return about(twice, "is there twice");
  // No structured binding: not every compiler lets a lambda capture one.
  const std::string_view version = found[0], capabilities = found[1], client = found[2],
                         level = found[3];
  envelope out;
  if (version.empty()) return about(keys::version, "is required");
  if (!version.starts_with('"') || version.size() > limits::version_bytes ||
      !json::unquote(version, out.version))
    return about(keys::version, "must be a short string");
  if (capabilities.empty()) return about(keys::capabilities, "is required");
  if (!capabilities.starts_with('{')) return about(keys::capabilities, "must be an object");
  if (capabilities.size() > limits::client_info_bytes)
    return about(keys::capabilities, "is too large");
  const auto is_text = [&](std::string_view key) {
    return json::member(client, key).starts_with('"');
  };
  if (!client.empty() && !(client.starts_with('{') && is_text("name") && is_text("version")))
    return about(keys::client, "must be an object with name and version");
  if (!level.empty() && severity(level) == log_levels.size())
    return about(keys::log_level, log_levels_told);
  out.capabilities = capabilities;
  out.log_level = level;
  return out;
}

std::string write_envelope(std::string_view capabilities, std::string_view raw_level) {
  std::string out;
  const auto add = [&](std::string_view key, std::string_view raw) {
    out.append(out.empty() ? "\"" : ",\"").append(key).append("\":").append(raw);
  };
  add(keys::version, '"' + std::string(first_stateless_version) + '"');
  add(keys::capabilities, capabilities);
  add(keys::client, client_info);
  if (!raw_level.empty()) add(keys::log_level, raw_level);
  return out;
}

std::string put_first(std::string_view object, std::string_view members) {
  std::string out = "{" + std::string(members);
  object.remove_prefix(1);
  if (json::cursor c(object, {}); c.peek() != '}') out += ',';
  return out.append(object);
}

std::string put_on_envelope(std::string_view params, std::string_view members) {
  const auto meta = json::member(params, "_meta");
  if (!meta.starts_with('{')) return put_first(params, R"("_meta":{)" + std::string(members) + "}");
  const auto at = static_cast<std::size_t>(meta.data() - params.data());
  std::string out(params.substr(0, at));
  return out.append(put_first(leave_out(meta, hop_keys), members))
      .append(params.substr(at + meta.size()));
}

std::shared_ptr<const std::string> take_off_envelope(jsonrpc::message& m) {
  const auto params = m.params;
  const auto place = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - params.data());
  };
  const auto meta = leave_out(m.meta, hop_keys);
  const auto behind = place(m.meta) + m.meta.size();
  auto text = std::make_shared<std::string>();
  text->reserve(params.size());
  text->append(params.substr(0, place(m.meta))).append(meta).append(params.substr(behind));
  // What stands behind `_meta` has moved by what that lost.
  const auto gone = m.meta.size() - meta.size();
  for (auto* part : {&m.name, &m.uri, &m.cursor, &m.ref, &m.ref_type, &m.ref_name, &m.ref_uri,
                     &m.request_id, &m.task_id}) {
    if (part->empty()) continue;
    const auto at = place(*part);
    *part = std::string_view(*text).substr(at < behind ? at : at - gone, part->size());
  }
  m.meta = std::string_view(*text).substr(place(m.meta), meta.size());
  m.params = *text;
  return text;
}

}  // namespace gate::mcp::stateless
