#include "simulations/benchmarks/upstream_answers.hpp"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace bench {
namespace {

using std::string;
using std::string_view;

constexpr string_view stateless_version = "2026-07-28";

long number(string_view text, long fallback = 0) {
  long value = fallback;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool same_name(string_view a, string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// The value of `key` at the first place where it is followed by a string or a number, raw. Good
/// enough for messages whose arguments do not imitate an envelope.
string_view member(string_view body, string_view key) {
  for (auto at = body.find(key); at != string_view::npos; at = body.find(key, at)) {
    at += key.size();
    auto from = body.find_first_not_of(" :", at);
    if (from == string_view::npos) return {};
    if (body[from] == '"') {
      auto end = body.find('"', from + 1);
      return end == string_view::npos ? string_view{} : body.substr(from, end + 1 - from);
    }
    auto end = body.find_first_not_of("-0123456789", from);
    if (end > from) return body.substr(from, end - from);
  }
  return {};
}

/// The number behind `name=` in a query.
long parameter(string_view target, string_view name, long fallback) {
  auto at = target.find(name);
  return at == string_view::npos ? fallback : number(target.substr(at + name.size()), fallback);
}

}  // namespace

request read_request(string_view in) {
  request out;
  auto end = in.find("\r\n\r\n");
  if (end == string_view::npos) return out;
  std::size_t length = 0;
  auto line = in.find("\r\n");
  auto words = in.substr(0, line);
  out.method = words.substr(0, words.find(' '));
  words.remove_prefix(out.method.size() + 1);
  out.target = words.substr(0, words.find(' '));
  while (line < end) {
    auto next = in.find("\r\n", line + 2);
    auto field = in.substr(line + 2, next - line - 2);
    auto colon = field.find(':');
    auto name = field.substr(0, colon);
    auto value = colon == string_view::npos ? string_view{} : field.substr(colon + 1);
    value.remove_prefix(std::min(value.size(), value.find_first_not_of(' ')));
    if (same_name(name, "content-length")) length = static_cast<std::size_t>(number(value));
    if (same_name(name, "mcp-protocol-version")) out.stateless = value == stateless_version;
    line = next;
  }
  auto begin = end + 4;
  if (in.size() >= begin + length) {
    out.body = in.substr(begin, length);
    out.size = begin + length;
  }
  return out;
}

void respond(string& out, string_view status, string_view type, string_view extra,
             std::initializer_list<string_view> body) {
  std::size_t length = 0;
  for (auto part : body) length += part.size();
  out.append("HTTP/1.1 ").append(status).append("\r\nContent-Length: ");
  out.append(std::to_string(length)).append("\r\n");
  if (!type.empty()) out.append("Content-Type: ").append(type).append("\r\n");
  out.append(extra).append("\r\n");
  for (auto part : body) out.append(part);
}

namespace {

/// Behind its `{` and what is put first.
string call_result(std::size_t bytes) {
  return R"("content":[{"type":"text","text":")" + string(bytes, 'x') + R"("}]})";
}

string initialize_result(string_view body) {
  auto version = member(body, "\"protocolVersion\"");
  return R"({"protocolVersion":)" + string(version.empty() ? R"("2025-11-25")" : version) +
         R"(,"capabilities":{"tools":{"listChanged":true}},)"
         R"("serverInfo":{"name":"bench_upstream","version":"1"}})";
}

long opened = 0;  ///< sessions
long ended = 0;   ///< by a DELETE each

string new_session() {
  char line[64];
  std::snprintf(line, sizeof line, "Mcp-Session-Id: bench-%d-%ld\r\n", getpid(), ++opened);
  return line;
}

void append_chunk(string& out, string_view event) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", event.size());
  out.append(size).append(event).append("\r\n");
}

constexpr string_view open_stream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

/// A call's answer behind so much of its progress, as an event stream.
void answer_with_progress(const answers& fixed, const request& r, string& out) {
  const auto token = member(r.body, "\"progressToken\"");
  const auto times = token.empty() ? 0 : parameter(r.target, "progress=", 100);
  out += open_stream;
  string event;
  for (long i = 1; i <= times; ++i) {
    event = R"(data: {"jsonrpc":"2.0","method":"notifications/progress","params":{)";
    event.append(R"("progressToken":)").append(token);
    event.append(R"(,"progress":)" + std::to_string(i) + "}}\n\n");
    append_chunk(out, event);
  }
  event = R"(data: {"jsonrpc":"2.0","id":)";
  event.append(member(r.body, "\"id\"")).append(R"(,"result":)").append(fixed.call) += "}\n\n";
  append_chunk(out, event);
  out += "0\r\n\r\n";
}

constexpr string_view discovered =
    R"({"resultType":"complete","ttlMs":60000,"cacheScope":"public",)"
    R"("supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}})";

/// A subscription is acknowledged, and then nothing happens.
void listen(string_view id, string& out) {
  string event = R"(data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)"
                 R"("params":{"notifications":{"toolsListChanged":true},)"
                 R"("_meta":{"io.modelcontextprotocol/subscriptionId":)";
  out += open_stream;
  append_chunk(out, event.append(id).append("}}}\n\n"));
}

/// Appends the answer to one POSTed message.
void answer_message(const answers& fixed, const request& r, string& out) {
  auto method = member(r.body, "\"method\"");
  auto id = member(r.body, "\"id\"");
  if (method.empty() || id.empty()) return respond(out, "202 Accepted", "", "", {});
  if (method == "\"subscriptions/listen\"") return listen(id, out);
  string made;
  string extra;
  string_view result;
  if (method == "\"tools/call\"") {
    if (r.target.starts_with("/hang")) return;
    if (r.target.starts_with("/flood")) return answer_with_progress(fixed, r, out);
    result = r.stateless ? fixed.stateless_call : fixed.call;
    if (r.target.starts_with("/big"))
      result = made =
          "{" + call_result(static_cast<std::size_t>(parameter(r.target, "bytes=", 1 << 20)));
  } else if (method == "\"tools/list\"") {
    result = r.stateless ? fixed.stateless_tools : fixed.tools;
  } else if (method == "\"initialize\"") {
    result = made = initialize_result(r.body);
    extra = new_session();
  } else if (method == "\"server/discover\"") {
    result = discovered;
  } else if (method == "\"ping\"" || method == "\"logging/setLevel\"") {
    result = "{}";
  }
  string_view member = result.empty() ? ",\"error\":" : ",\"result\":";
  if (result.empty()) result = R"({"code":-32601,"message":"Method not found"})";
  constexpr string_view head = R"({"jsonrpc":"2.0","id":)";
  if (r.target.starts_with("/sse") && method != "\"initialize\"") {
    respond(out, "200 OK", "text/event-stream", extra,
            {"event: message\ndata: ", head, id, member, result, "}\n\n"});
  } else {
    respond(out, "200 OK", "application/json", extra, {head, id, member, result, "}"});
  }
}

}  // namespace

long answer(const answers& fixed, const request& r, string& out) {
  if (r.method == "GET") {
    // Stays open and silent, until somebody POSTs to /streams; or floods.
    out += open_stream;
    return 0;
  }
  if (r.method == "DELETE") {
    ++ended;
    respond(out, "200 OK", "", "", {});
    return 0;
  }
  answer_message(fixed, r, out);
  return r.target.starts_with("/slow") ? parameter(r.target, "ms=", 50) : 0;
}

string list_changed_chunk() {
  string out;
  append_chunk(out,
               "event: message\ndata: "
               R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"
               "\n\n");
  return out;
}

namespace {

/// Every tenth event says that a list has changed, the others are of the log.
string flood_chunks() {
  string out;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 9; ++k)
      append_chunk(out, R"(data: {"jsonrpc":"2.0","method":"notifications/message","params":)"
                        R"({"level":"info","data":"what nobody wanted to know"}})"
                        "\n\n");
    out += list_changed_chunk();
  }
  return out;
}

}  // namespace

answers make_answers(int tools, int text) {
  answers out;
  const auto call = call_result(static_cast<std::size_t>(text));
  string list = R"("tools":[)";
  for (int i = 1; i <= tools; ++i) {
    if (i > 1) list += ',';
    list += R"({"name":"tool_)" + std::to_string(i) + R"(","description":"Synthetic tool )" +
            std::to_string(i) +
            R"( of the benchmark","inputSchema":{"type":"object","properties":{)"
            R"("text":{"type":"string"},"count":{"type":"integer"}}}})";
  }
  list += "]}";
  out.call = "{" + call;
  out.tools = "{" + list;
  out.stateless_call = R"({"resultType":"complete",)" + call;
  out.stateless_tools = R"({"resultType":"complete","ttlMs":60000,"cacheScope":"public",)" + list;
  out.flood = flood_chunks();
  return out;
}

long open_sessions() {
  return opened - ended;
}

}  // namespace bench
