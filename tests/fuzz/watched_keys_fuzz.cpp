// Messages of clients from any bytes, read by us and by a decoder that matches keys without regard
// to letter case, ends them at U+0000 and takes the last one: of what we let pass both read the
// same.
#include <boost/json.hpp>
#include <optional>
#include <string>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/limits.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

/// Simple case folding, as far as it leads to ASCII; of the characters before any U+0000.
std::string folded(std::string_view key) {
  std::string out;
  key = key.substr(0, key.find('\0'));
  while (!key.empty()) {
    if (key.starts_with("\xE2\x84\xAA")) {
      out += 'k';
      key.remove_prefix(3);
    } else if (key.starts_with("\xC5\xBF")) {
      out += 's';
      key.remove_prefix(2);
    } else {
      const char c = key.front();
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      key.remove_prefix(1);
    }
  }
  return out;
}

/// The raw value of `name` as such a decoder takes it: the last one.
std::optional<std::string> loosely(std::string_view object, std::string_view name) {
  std::optional<std::string> out;
  json::cursor c(object, {json::deepest, true});
  json::members(c, [&](std::string_view raw, json::cursor& at) {
    const auto value = at.value(1);
    // Another parser's idea of the key. (It takes no lone surrogates, which no name of ours has.)
    boost::json::error_code error;
    const auto key = boost::json::parse("\"" + std::string(raw) + "\"", error);
    if (!error && folded(key.as_string()) == folded(name)) out = value;
  });
  return out;
}

/// What we read, where it was read as what it is.
void agrees(std::string_view object, std::string_view name, std::string_view ours) {
  const auto theirs = loosely(object, name);
  if (!ours.empty()) require(theirs == ours, "a decoder that is loose with keys reads another");
}

/// Nothing of what we take for absent is there for the other.
void agrees_on_all(std::string_view object, std::span<const std::string_view> names) {
  for (const auto name : names) {
    const auto exact = json::member(object, name);
    const auto theirs = loosely(object, name);
    require(theirs.has_value() == !exact.empty() && (!theirs || *theirs == exact),
            "a decoder that is loose with keys reads another");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto m = jsonrpc::read(text, {limits::json_depth, true});
  if (!m) return 0;
  agrees_on_all(text, jsonrpc::top_names);
  agrees(text, "id", m->id);
  agrees(text, "params", m->params);
  agrees(text, "error", m->error);
  std::string method;
  if (!m->method.empty())
    require(json::unquote(loosely(text, "method").value_or(""), method) && method == m->method,
            "the method differs");
  if (m->params.empty()) return 0;
  agrees_on_all(m->params, jsonrpc::param_names);
  agrees(m->params, "name", m->name);
  agrees(m->params, "uri", m->uri);
  agrees(m->params, "_meta", m->meta);
  agrees(m->params, "cursor", m->cursor);
  agrees(m->params, "requestId", m->request_id);
  agrees(m->params, "taskId", m->task_id);
  agrees(m->params, "ref", m->ref);
  if (!m->ref.starts_with('{')) return 0;
  agrees_on_all(m->ref, jsonrpc::ref_names);
  agrees(m->ref, "type", m->ref_type);
  agrees(m->ref, "name", m->ref_name);
  agrees(m->ref, "uri", m->ref_uri);
  return 0;
}
