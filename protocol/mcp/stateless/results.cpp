#include "protocol/mcp/stateless/results.hpp"

#include <array>

#include "protocol/base/pen.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/headers.hpp"

namespace gate::mcp::stateless {
namespace {

/// Members of a result that this generation gives a meaning to.
struct own_members {
  std::string_view result_type;
  bool ttl = false, scope = false, meta = false, any = false;

  void look(std::string_view key, std::string_view value) {
    static constexpr std::array<std::string_view, 4> names{"resultType", "ttlMs", "cacheScope",
                                                           "_meta"};
    const auto which = jsonrpc::find_same(key, names);
    any = true;
    if (which == 0) result_type = value;
    ttl |= which == 1;
    scope |= which == 2;
    meta |= which == 3;
  }
};

/// Who made it complete.
const std::string& own_meta() {
  static const std::string text =
      R"("_meta":{")" + std::string(keys::server) + R"(":)" + std::string(server_info) + "}";
  return text;
}

}  // namespace

std::optional<completed> complete(std::string_view raw, std::string_view beside,
                                  const cache_hint* hint, const jsonrpc::result_members& noted) {
  own_members has;
  json::cursor c(raw, {json::deepest, false});
  if (c.peek() != '{') return {};
  const auto look = [&](std::string_view key, json::cursor& at) {
    at.peek();
    has.look(key, at.value(1));
  };
  if (beside.empty() && noted.noted && !noted.type) {
    has = {{}, noted.ttl, noted.scope, noted.meta, noted.any};
  } else if (beside.empty()) {
    json::members(c, look);
    if (!c.ok()) return {};
  } else {
    // The list itself stands in front, and what its server says beside it: of the four, at most
    // `_meta`.
    has.any = true;
    has.meta = noted.meta;
    if (beside.starts_with(',')) {
      const auto rest = "{" + std::string(beside.substr(1));
      json::cursor behind(rest, {json::deepest, false});
      json::members(behind, look);
    }
  }
  const bool typed = !has.result_type.empty();
  if (typed && !json::says(has.result_type, "complete")) return {};
  completed out;
  pen lead(out.lead, 192);
  lead << "{";
  const auto next = [&]() -> pen& { return lead.size() > 1 ? lead << "," : lead; };
  if (!typed) next() << R"("resultType":"complete")";
  if (hint && !has.ttl) next() << R"("ttlMs":)" << static_cast<std::uint64_t>(hint->ttl.count());
  if (hint && !has.scope)
    next() << R"("cacheScope":)" << std::string_view(hint->shared ? R"("public")" : R"("private")");
  if (!has.meta) next() << own_meta();
  if (has.any) next();
  out.lead.resize(lead.size());
  out.rest = raw.substr(raw.find('{') + 1);
  return out;
}

bool is_complete(std::string_view raw_type) {
  return raw_type.empty() || json::says(raw_type, "complete");
}

std::string translate_error(std::string_view raw_error, era from, era to) {
  struct row {
    std::string_view code;
    era from;
    std::string_view to_session, to_stateless;
  };
  static constexpr std::array rows{
      row{"-32002", era::session, "-32002", "-32602"},           // a resource that is not there
      row{"-32042", era::session, "-32042", "-32603"},           // a URL, where nobody can be asked
      row{header_mismatch, era::stateless, "-32603", "-32603"},  // our headers: no client's fault
      row{lacks_capability, era::stateless, "-32602",
          lacks_capability},                              // the client can do too little
      row{"-32022", era::stateless, "-32603", "-32603"},  // our version
  };
  const auto code = json::member(raw_error, "code");
  for (const auto& r : rows) {
    const auto other = to == era::session ? r.to_session : r.to_stateless;
    if (r.from != from || r.code != code || other == code) continue;
    std::string out(raw_error);
    return out.replace(static_cast<std::size_t>(code.data() - raw_error.data()), code.size(),
                       other);
  }
  return {};
}

std::string of_subscription(std::string_view text, std::string_view raw_id) {
  const auto member = '"' + std::string(keys::subscription) + R"(":)" + std::string(raw_id);
  const auto params = json::member(text, "params");
  std::string out;
  if (!params.starts_with('{')) {
    const auto end = text.rfind('}');
    out.append(text.substr(0, end)).append(R"(,"params":{"_meta":{)").append(member);
    return out.append("}}").append(text.substr(end));
  }
  const auto put = [&](std::string_view object, std::string_view what) {
    const auto at = static_cast<std::size_t>(object.data() - text.data());
    out += text.substr(0, at);
    out += put_first(object, what);
    out += text.substr(at + object.size());
    return out;
  };
  const auto meta = json::member(params, "_meta");
  if (const auto other = json::member(meta, keys::subscription); !other.empty()) {
    out = text;
    out.replace(static_cast<std::size_t>(other.data() - text.data()), other.size(), raw_id);
    return out;
  }
  if (meta.starts_with('{')) return put(meta, member);
  return put(params, R"("_meta":{)" + member + "}");
}

std::string of_no_subscription(std::string_view text) {
  static constexpr std::array ours{keys::subscription};
  std::string out(text);
  const auto meta = json::member(json::member(text, "params"), "_meta");
  if (json::member(meta, keys::subscription).empty()) return out;
  return out.replace(static_cast<std::size_t>(meta.data() - text.data()), meta.size(),
                     leave_out(meta, ours));
}

}  // namespace gate::mcp::stateless
