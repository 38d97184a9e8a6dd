#include "tests/actors/support/fleet_stage.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/resp/reader.hpp"

namespace gate::sim {

staged_instance::staged_instance(fake_store& store, std::uint64_t seed, std::string_view config)
    : staged_router({.config = config,
                     .fleet = routing::fleet_settings{std::string(limits::fleet_secret_bytes, 's')},
                     .seed = seed}),
      store_(store),
      channel_(line().channel()) {
  store_.hear_by(this);
  turn(true);
}

bool staged_instance::deliver() {
  bool any = false;
  for (auto& what : std::exchange(doors.asked, {})) {
    any = true;
    const auto id = what.id;
    if (store_says) {
      line().on_told({id, *store_says, nullptr});
      continue;
    }
    const auto reply = resp::parse(store_.run(what, doors.t));
    line().on_told({id, outcome_of(reply->root()), reply});
  }
  for (const auto& m : std::exchange(heard, {})) {
    any = true;
    it.fleet->sessions.on_heard(m);
  }
  // What was put off for a moment only, so that it is done behind what was there already.
  const auto now = [](const auto& t) {
    return t.first == routing::timer::records && t.second.count() == 0;
  };
  if (std::erase_if(doors.timers, now) == 0) return any;
  it.on_timer(routing::timer::records);
  return true;
}

void staged_instance::ask_client(std::string_view raw_id, std::uint64_t call,
                                 std::string_view method, std::string_view params) {
  server_request m;
  m.call = call;
  m.session = 7;
  m.text = jsonrpc::request(raw_id, method, params);
  m.id = raw_id;
  m.id_offset = m.text.find(raw_id, 15);
  it.requests.on_server_request(m);
}

void staged_instance::tell(std::uint64_t call, std::string text) {
  call_notification m;
  m.call = call;
  m.text = std::move(text);
  it.calls.on_call_notification(m);
}

std::string fleet_stage::error_code(const receipt_ptr& r) {
  return std::string(json::member(json::member(r->last(), "error"), "code"));
}

fleet_stage::fleet_stage(std::string_view config) : one(store, 1, config), two(store, 2, config) {
  teach_scripts(store, std::chrono::seconds(1'795'253'400));
}

void fleet_stage::settle() {
  while (one.deliver() | two.deliver()) {
  }
}

sessions::session_ptr fleet_stage::open(const std::string& capabilities) {
  const auto r = one.open_request(capabilities);
  settle();
  EXPECT_EQ(r->status, 200) << r->body;
  return one.session(r->header("Mcp-Session-Id"));
}

sessions::session_ptr fleet_stage::come(const std::string& id) {
  two.post(id, R"({"jsonrpc":"2.0","id":8,"method":"ping"})");
  settle();
  return two.session(id);
}

void fleet_stage::pass(std::chrono::milliseconds d) {
  one.pass(d);
  two.pass(d);
  one.tick();
  two.tick();
  settle();
}

}  // namespace gate::sim
