#include "tests/actors/support/router_stage.hpp"

#include <random>

#include "config/validate.hpp"
#include "protocol/json/scan.hpp"

namespace gate::sim {
namespace {

config::document read(std::string_view text) {
  auto parsed = config::load(std::string(text));
  for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
  return std::move(parsed.doc);
}

routing::settings settings_of(std::string_view config, std::shared_ptr<metrics> counters,
                              const std::optional<std::string>& signing_key) {
  routing::settings out;
  out.metrics = std::move(counters);
  out.wall = [] { return std::chrono::sys_seconds{std::chrono::seconds{1'795'253'400}}; };
  out.random = [dice = std::mt19937_64(1)](std::span<std::uint8_t> bytes) mutable {
    for (auto& b : bytes) b = static_cast<std::uint8_t>(dice());
  };
  out.authority = identity::make_authority(read(config), signing_key).value();
  return out;
}

}  // namespace

long long fake_doors::timer(routing::timer what) const {
  for (auto it = timers.rbegin(); it != timers.rend(); ++it)
    if (it->first == what)
      return std::chrono::duration_cast<std::chrono::milliseconds>(it->second).count();
  return -1;
}

router_stage::router_stage(std::string_view config, const std::optional<std::string>& signing_key)
    : it(settings_of(config, counters, signing_key), doors, doors, doors,
         pipeline::audit_door::audience{}, compiler.compile(read(config))) {
  const auto of = it.shared().snapshot;
  doors.up.assign(of->slots, true);
  it.start();
  it.adopt(of, of->slots);
}

void router_stage::reload(std::string_view config) {
  const auto next = compiler.compile(read(config));
  doors.up.resize(std::max(doors.up.size(), next->slots), true);
  it.adopt(next, doors.up.size());
}

receipt_ptr router_stage::arrive(verb method, const std::vector<std::string>& lines,
                                 std::string body, std::string_view path) {
  auto r = std::make_shared<receipt>();
  r->number = next_exchange++;
  auto all = lines;
  all.emplace_back("Host: 127.0.0.1");
  auto from = std::make_shared<fake_exchange>(r, make_request(method, path, all, std::move(body)));
  it.entry.take_in(std::move(from), false, false);
  return r;
}

receipt_ptr router_stage::post(const std::string& session, std::string body) {
  std::vector<std::string> lines{"Content-Type: application/json",
                                 "Accept: application/json, text/event-stream"};
  if (!session.empty()) lines.push_back("Mcp-Session-Id: " + session);
  return arrive(verb::post, lines, std::move(body));
}

sessions::session_ptr router_stage::open(const std::string& capabilities) {
  for (const auto& u : it.shared().snapshot->upstreams) {
    introduced m{u.index, true, mcp::usual_features, {}};
    it.met.on_introduced(m);
  }
  const auto r =
      post({}, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
               R"("2025-11-25","capabilities":)" +
                   capabilities + R"(,"clientInfo":{"name":"c","version":"1"}}})");
  EXPECT_EQ(r->status, 200) << r->body;
  config::view_ptr before;
  const auto who = it.entry.keeper().anonymous(it.shared().snapshot);
  return it.shared().sessions.find(r->header("Mcp-Session-Id"), who, doors.t, before);
}

receipt_ptr router_stage::listen(const sessions::session_ptr& s) {
  return arrive(verb::get, {"Accept: text/event-stream", "Mcp-Session-Id: " + s->id});
}

void router_stage::answer(std::string_view raw_result) {
  auto text = std::make_shared<const std::string>(raw_result);
  answered m;
  m.call = doors.calls.back().second.call;
  m.upstream = doors.calls.back().first;
  m.what = gate::answer::result;
  m.payload = *text;
  m.keep = text;
  it.calls.on_answered(m);
}

void router_stage::list(std::size_t upstream, const fetch_list& wanted,
                        std::vector<std::string> names) {
  auto items = std::make_shared<mcp::item_list>();
  for (const auto& n : names) items->push_back({n, R"({"name":)" + json::quoted(n) + "}"});
  auto m = answer_to(wanted, upstream);
  m.items = std::move(items);
  m.upstream_calls = 1;
  it.calls.on_listed(m);
}

}  // namespace gate::sim
