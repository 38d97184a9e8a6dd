#include "tests/actors/support/router_stage.hpp"

#include <random>

#include "config/validate.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::sim {
namespace {

config::document read(std::string_view text) {
  auto parsed = config::load(std::string(text));
  for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
  return std::move(parsed.doc);
}

routing::settings settings_of(const staged_router::options& o, std::shared_ptr<metrics> counters) {
  routing::settings out;
  out.metrics = std::move(counters);
  out.wall = [] { return std::chrono::sys_seconds{std::chrono::seconds{1'795'253'400}}; };
  out.random = [dice = std::mt19937_64(o.seed)](std::span<std::uint8_t> bytes) mutable {
    for (auto& b : bytes) b = static_cast<std::uint8_t>(dice());
  };
  out.authority = identity::make_authority(read(o.config), o.signing_key).value();
  out.fleet = o.fleet;
  return out;
}

}  // namespace

long long fake_doors::timer(routing::timer what) const {
  for (auto it = timers.rbegin(); it != timers.rend(); ++it)
    if (it->first == what)
      return std::chrono::duration_cast<std::chrono::milliseconds>(it->second).count();
  return -1;
}

staged_router::staged_router(const options& o)
    : it(settings_of(o, counters), doors, doors, doors, pipeline::audit_door::audience{},
         compiler.compile(read(o.config))) {
  const auto of = it.shared().snapshot;
  doors.up.assign(of->slots, true);
  it.start();
  it.adopt(of, of->slots);
}

void staged_router::reload(std::string_view config) {
  const auto next = compiler.compile(read(config));
  doors.up.resize(std::max(doors.up.size(), next->slots), true);
  it.adopt(next, doors.up.size());
}

receipt_ptr staged_router::arrive(verb method, const std::vector<std::string>& lines,
                                  std::string body, std::string_view path) {
  auto r = std::make_shared<receipt>();
  r->number = next_exchange++;
  auto all = lines;
  all.emplace_back("Host: 127.0.0.1");
  auto from = std::make_shared<fake_exchange>(r, make_request(method, path, all, std::move(body)));
  it.entry.take_in(std::move(from), false, false);
  return r;
}

receipt_ptr staged_router::post(const std::string& session, std::string body) {
  std::vector<std::string> lines{"Content-Type: application/json",
                                 "Accept: application/json, text/event-stream"};
  if (!session.empty()) lines.push_back("Mcp-Session-Id: " + session);
  return arrive(verb::post, lines, std::move(body));
}

receipt_ptr staged_router::post_stateless(std::string_view raw_id, std::string_view rpc_method,
                                          std::string_view name, std::string_view more,
                                          std::string_view capabilities, std::string_view meta) {
  const auto member = rpc_method.starts_with("tasks/") ? "taskId" : "name";
  auto params = "{\"" + std::string(member) + "\":" + json::quoted(name);
  params.append(more)
      .append(R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)")
      .append(R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},)")
      .append(R"("io.modelcontextprotocol/clientCapabilities":)")
      .append(capabilities)
      .append(meta)
      .append("}}");
  return arrive(verb::post,
                {"Content-Type: application/json", "Accept: application/json, text/event-stream",
                 "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + std::string(rpc_method),
                 "Mcp-Name: " + std::string(name)},
                jsonrpc::request(raw_id, rpc_method, params));
}

sessions::session_ptr staged_router::open(const std::string& capabilities) {
  const auto r = open_request(capabilities);
  EXPECT_EQ(r->status, 200) << r->body;
  return session(r->header("Mcp-Session-Id"));
}

receipt_ptr staged_router::open_request(const std::string& capabilities) {
  for (const auto& u : it.shared().snapshot->upstreams) {
    introduced m{u.index, true, mcp::usual_features, {}};
    it.met.on_introduced(m);
  }
  return post({}, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
                  R"("2025-11-25","capabilities":)" +
                      capabilities + R"(,"clientInfo":{"name":"c","version":"1"}}})");
}

sessions::session_ptr staged_router::session(const std::string& id) {
  config::view_ptr before;
  const auto who = it.entry.keeper().anonymous(it.shared().snapshot);
  return it.shared().sessions.find(id, who, doors.t, before);
}

receipt_ptr staged_router::listen(const sessions::session_ptr& s) {
  return arrive(verb::get, {"Accept: text/event-stream", "Mcp-Session-Id: " + s->id});
}

void staged_router::answer(std::string_view raw_result) {
  answer_with(gate::answer::result, raw_result);
}

void staged_router::answer_with(gate::answer what, std::string_view payload, std::uint64_t call) {
  auto text = std::make_shared<const std::string>(payload);
  answered m;
  m.call = call != 0 ? call : doors.calls.back().second.call;
  m.upstream = doors.calls.back().first;
  m.what = what;
  m.payload = *text;
  m.keep = text;
  it.calls.on_answered(m);
}

void staged_router::list(std::size_t upstream, const fetch_list& wanted,
                         std::vector<std::string> names) {
  auto items = std::make_shared<mcp::item_list>();
  for (const auto& n : names) items->push_back({n, R"({"name":)" + json::quoted(n) + "}"});
  auto m = answer_to(wanted, upstream);
  m.items = std::move(items);
  m.upstream_calls = 1;
  it.calls.on_listed(m);
}

void staged_router::list_all(const std::vector<std::string>& names) {
  for (auto& [upstream, wanted] : doors.take<fetch_list>()) list(upstream, wanted, names);
}

}  // namespace gate::sim
