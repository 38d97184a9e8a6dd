// The envelope of requests without sessions: what is read of it lies in the request, what is put on
// says what was meant, and when it is taken off the rest is what the client wrote.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/versions.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
using namespace gate::mcp::stateless;

namespace {

constexpr json::limits loose{json::deepest, false};
constexpr std::array hop_keys{keys::version, keys::capabilities, keys::client, keys::log_level};
constexpr std::array only_meta{std::string_view("_meta")};

/// Key and value of each member that has none of these names, as they were written.
std::vector<std::pair<std::string, std::string>> others(std::string_view object,
                                                        std::span<const std::string_view> names) {
  std::vector<std::pair<std::string, std::string>> out;
  if (object.empty()) return out;
  json::cursor c(object, loose);
  json::members(c, [&](std::string_view key, json::cursor& at) {
    at.peek();
    const auto value = at.value(1);
    if (std::ranges::none_of(names, [&](auto name) { return json::same_key(key, name); }))
      out.emplace_back(key, value);
  });
  require(c.ok(), "an object is none");
  return out;
}

auto times(std::string_view object, std::string_view name) {
  const auto all = others(object, {});
  return std::ranges::count_if(all, [&](auto& each) { return json::same_key(each.first, name); });
}

/// What the parts of a request are that are told from its params.
auto parts(const jsonrpc::message& m) {
  return std::array{m.name,     m.uri,     m.cursor,     m.ref,    m.ref_type,
                    m.ref_name, m.ref_uri, m.request_id, m.task_id};
}

envelope must_read(std::string_view meta) {
  const envelope_members found(meta);
  auto e = read_envelope(found);
  require(e.has_value(), "an envelope can not be read");
  require(found.name_version(), "an envelope without a version");
  require(found.alone == others(meta, hop_keys).empty(), "more or less stands beside it");
  require(e->version.size() <= limits::version_bytes, "a long version");
  for (const auto key : hop_keys) require(times(meta, key) <= 1, "a key that is there twice");
  require(inside(e->capabilities, meta) && inside(e->log_level, meta), "a part from elsewhere");
  require(e->capabilities.starts_with('{') && e->capabilities.size() <= limits::client_info_bytes &&
              json::validate(e->capabilities, loose) == json::fault::none,
          "capabilities that are none");
  require(e->log_level.empty() || mcp::severity(e->log_level) < mcp::log_levels.size(),
          "a level that there is not");
  return std::move(*e);
}

/// The same request, as it is read where it goes; `text` holds it.
jsonrpc::message again(std::string& text, const jsonrpc::message& m, std::string_view params) {
  text = jsonrpc::request(m.id, m.method, params);
  auto read = jsonrpc::read(text, {json::deepest, true});
  require(read.has_value(), "what goes out is no message");
  require(read->id == m.id && read->method == m.method, "another request goes out");
  require(parts(*read) == parts(m), "what goes out is about something else");
  return std::move(*read);
}

std::string in_one(const mcp::request_pieces& p) {
  const auto all = p.before + std::string(p.first) + std::string(p.second) + p.after;
  require(all.ends_with('}'), "a request without its end");
  return all.substr(0, all.size() - 1);
}

/// The params as a server with sessions gets them.
std::string taken_off(const jsonrpc::message& m) {
  const auto params = others(m.params, only_meta), meta = others(m.meta, hop_keys);
  const auto rest = without_envelope(m.meta, {}, {});
  require(!envelope_members(rest).name_version(), "an envelope that is still there");
  require(others(rest, {}) == meta, "more than the envelope was taken");
  auto text = in_one(with_meta({}, m.params, {}, m.meta, rest));
  require(others(text, only_meta) == params, "more than the envelope was touched");
  require(json::member(text, "_meta") == rest, "what is left stands elsewhere");
  return text;
}

void put_on(const jsonrpc::message& m, std::string_view capabilities, std::string_view level) {
  const auto rest = m.meta.empty() ? std::string("{}") : without_envelope(m.meta, {}, {});
  const auto meta = write_meta(capabilities, level, rest);
  const auto params = in_one(with_meta({}, m.params, {}, m.meta, meta));
  std::string text;
  const auto out = again(text, m, params);
  const auto e = must_read(out.meta);
  require(e.version == mcp::first_stateless_version, "a version that was not meant");
  require(e.capabilities == capabilities && e.log_level == level, "more or less was put on");
  require(others(out.params, only_meta) == others(m.params, only_meta), "params were touched");
  require(others(out.meta, hop_keys) == others(m.meta, hop_keys), "the rest of _meta was touched");
  const auto open = taken_off(out);
  if (!m.meta.empty()) require(open == taken_off(m), "to put on and take off leaves something");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto m = jsonrpc::read(text_of(data, size));
  if (!m || m->kind == jsonrpc::kind::response) return 0;
  put_on(*m, "{}", {});
  if (m->meta.empty()) return 0;
  const auto e = read_envelope(envelope_members(m->meta));
  if (!e) {
    require(!e.error().what.empty(), "a refusal without a reason");
    return 0;
  }
  const auto known = must_read(m->meta);
  put_on(*m, known.capabilities, known.log_level);
  std::string text;
  again(text, *m, taken_off(*m));
  return 0;
}
