#include "protocol/mcp/stateless/envelope.hpp"

#include <algorithm>
#include <array>

#include "protocol/base/pen.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::array hop_keys{keys::version, keys::capabilities, keys::client, keys::log_level};

/// Is it an object (raw) with a name and a version?
bool names_client(std::string_view raw) {
  static constexpr std::array texts{std::string_view("name"), std::string_view("version")};
  const auto found = json::pick(raw, texts);
  return std::ranges::all_of(found, [](auto value) { return value.starts_with('"'); });
}

problem about(std::string_view key, std::string_view what) {
  return problem{"params._meta[\"" + std::string(key) + "\"] " + std::string(what)};
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
  const auto rest = without_tasks(raw.empty() ? "{}" : raw);
  return json::member(rest, tasks[0]).empty() ? rest : leave_out(rest, tasks);
}

capability_profile asked_by(std::string_view raw_capabilities) {
  return read_profile(raw_capabilities) & static_cast<capability_profile>(~task_capabilities);
}

envelope_members::envelope_members(std::string_view raw_meta) {
  const std::array places{&version, &capabilities, &client, &log_level};
  each_member(raw_meta, [&](std::string_view key, std::string_view value) {
    const auto which = jsonrpc::find_same(key, hop_keys);
    if (which == hop_keys.size()) {
      alone = false;
      return;
    }
    if (!places[which]->empty()) twice = hop_keys[which];
    *places[which] = value;
  });
}

result<envelope> read_envelope(const envelope_members& of) {
  if (!of.twice.empty()) return about(of.twice, "is there twice");
  envelope out;
  if (of.version.empty()) return about(keys::version, "is required");
  if (!of.version.starts_with('"') || of.version.size() > limits::version_bytes ||
      !json::unquote(of.version, out.version))
    return about(keys::version, "must be a short string");
  if (of.capabilities.empty()) return about(keys::capabilities, "is required");
  if (!of.capabilities.starts_with('{')) return about(keys::capabilities, "must be an object");
  if (of.capabilities.size() > limits::client_info_bytes)
    return about(keys::capabilities, "is too large");
  if (!of.client.empty() && !names_client(of.client))
    return about(keys::client, "must be an object with name and version");
  if (!of.log_level.empty() && severity(of.log_level) == log_levels.size())
    return about(keys::log_level, log_levels_told);
  out.capabilities = of.capabilities;
  out.log_level = of.log_level;
  return out;
}

std::string write_meta(std::string_view capabilities, std::string_view raw_level,
                       std::string_view rest) {
  rest.remove_prefix(1);
  std::string out;
  pen text(out, 256 + capabilities.size() + rest.size());
  text << "{\"" << keys::version << "\":\"" << first_stateless_version << "\",\""
       << keys::capabilities << "\":" << capabilities << ",\"" << keys::client
       << "\":" << client_info;
  if (!raw_level.empty()) text << ",\"" << keys::log_level << "\":" << raw_level;
  if (json::cursor c(rest, {}); c.peek() != '}') text << ",";
  text << rest;
  out.resize(text.size());
  return out;
}

std::string without_envelope(std::string_view raw_meta, std::string_view token,
                             std::string_view ours) {
  std::string out = "{";
  each_member(raw_meta, [&](std::string_view key, std::string_view value) {
    if (jsonrpc::find_same(key, hop_keys) != hop_keys.size()) return;
    const bool is_token = !token.empty() && value.data() == token.data();
    out.append(out.size() > 1 ? ",\"" : "\"").append(key).append("\":");
    out.append(is_token ? ours : value);
  });
  return out += '}';
}

request_pieces with_meta(std::string head, std::string_view first, std::string_view second,
                         std::string_view meta, std::string_view by) {
  if (!meta.empty()) return replace_part(std::move(head), first, second, "}", meta, by);
  head.reserve(head.size() + by.size() + 12);
  head.append(R"({"_meta":)").append(by);
  if (first.empty()) return {std::move(head), {}, {}, "}}"};
  // A part of the params ends within a string, so one that is left of `first` alone is the object.
  first.remove_prefix(1);
  if (json::cursor c(first, {}); c.peek() != '}') head += ',';
  return {std::move(head), first, second, "}"};
}

std::string put_first(std::string_view object, std::string_view members) {
  std::string out;
  out.reserve(object.size() + members.size() + 2);
  out.append("{").append(members);
  object.remove_prefix(1);
  if (json::cursor c(object, {}); c.peek() != '}') out += ',';
  return out.append(object);
}

}  // namespace gate::mcp::stateless
