#include "shim/up/looker.hpp"

#include "protocol/http/url.hpp"
#include "shim/up/json_text.hpp"

namespace gate::up {
namespace {

constexpr std::chrono::milliseconds look_connect{2000};
/// Of the gateway's refusals: no upstream answers.
constexpr std::string_view upstream_down = "upstream_down";

std::shared_ptr<fetch> make(std::uint64_t id, http::url to, verb method, std::string headers,
                            std::string body) {
  auto place = std::make_shared<destination>();
  place->url = std::move(to);
  place->connect_timeout = look_connect;
  place->redirects = false;
  auto out = std::make_shared<fetch>();
  out->id = id;
  out->to = std::move(place);
  out->method = method;
  out->headers = std::make_shared<const std::string>(std::move(headers));
  out->before = std::move(body);
  out->repeatable = true;
  return out;
}

/// `f(element)` for each element of the raw array; nothing is one.
template <class F>
void each(std::string_view raw, F&& f) {
  if (raw.empty()) return;
  json::cursor c(raw, {gate::limits::upstream_json_depth, false});
  json::elements(c, [&](json::cursor& at) { f(at.value(1)); });
}

}  // namespace

result<fetch_ptr> ask_health(std::uint64_t id, std::string_view url) {
  auto to = http::parse_url(url);
  if (!to) return to.error();
  to->target = "/health";
  return fetch_ptr(make(id, std::move(*to), verb::get, "Accept: application/json\r\n", {}));
}

result<fetch_ptr> ask_tools(std::uint64_t id, std::string_view url, std::string_view cursor) {
  auto to = http::parse_url(url);
  if (!to) return to.error();
  std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientInfo":{"name":"gate-up","version":")" GATE_VERSION R"("},)"
      R"("io.modelcontextprotocol/clientCapabilities":{}})";
  if (!cursor.empty()) body.append(R"(,"cursor":)").append(cursor);
  body += "}}";
  return fetch_ptr(make(id, std::move(*to), verb::post,
                        "Content-Type: application/json\r\n"
                        "Accept: application/json, text/event-stream\r\n"
                        "MCP-Protocol-Version: 2026-07-28\r\n"
                        "Mcp-Method: tools/list\r\n",
                        std::move(body)));
}

std::map<std::string, upstream_state> read_health(std::string_view body) {
  std::map<std::string, upstream_state> out;
  if (json::validate(body, {gate::limits::upstream_json_depth, true}) != json::fault::none)
    return out;
  each(json::member(body, "upstreams"), [&](std::string_view one) {
    out[text_of(json::member(one, "id"))] = {json::member(one, "connected") == "true",
                                             text_of(json::member(one, "error"))};
  });
  return out;
}

result<tools_page> read_tools(std::string_view body) {
  if (json::validate(body, {gate::limits::upstream_json_depth, true}) != json::fault::none)
    return problem{"the answer is no JSON"};
  tools_page out;
  if (const auto error = json::member(body, "error"); !error.empty()) {
    const auto gate = json::member(json::member(error, "data"), "gate");
    out.nobody = text_of(json::member(gate, "reason")) == upstream_down;
    if (out.nobody) return out;
    return problem{text_of(json::member(error, "message"))};
  }
  const auto result = json::member(body, "result");
  if (result.empty()) return problem{"the answer has no result"};
  each(json::member(result, "tools"),
       [&](std::string_view one) { out.names.push_back(text_of(json::member(one, "name"))); });
  out.cursor = json::member(result, "nextCursor");
  const auto partial = json::member(json::member(result, "_meta"), "gate/partialFailure");
  each(json::member(partial, "failedUpstreams"),
       [&](std::string_view one) { out.missing.push_back(text_of(one)); });
  return out;
}

}  // namespace gate::up
