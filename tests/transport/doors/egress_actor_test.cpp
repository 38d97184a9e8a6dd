#include "transport/doors/egress_actor.hpp"

#include <gtest/gtest.h>

#include "tests/transport/support/real_world.hpp"
#include "transport/http/pool.hpp"

namespace gate::testing {
namespace {

fetch numbered(std::uint64_t id, verb method = verb::post) {
  fetch f;
  f.id = id;
  f.method = method;
  return f;
}

/// Asks, and hears nothing that would be of interest.
class mortal final : public fetch_client::base {
 public:
  explicit mortal(caf::actor_config& cfg) : fetch_client::base(cfg) {}
  behavior_type make_behavior() override {
    return {[](const fetched&) {}, [](const streamed&) {}};
  }
};

TEST(egress, the_fetches_of_an_asker_that_died_are_abandoned) {
  real_world w;
  listener server, other;
  auto who = w.system().spawn<mortal>();
  auto started = w.make_start(server.url("/stream"), numbered(1, verb::get));
  started.asker = who;
  caf::anon_send(w.doors().egress, started);
  auto stream = server.accept();
  stream.read();
  stream.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
  auto elsewhere = w.make_start(other.url("/slow"), numbered(2));
  elsewhere.asker = who;
  caf::anon_send(w.doors().egress, elsewhere);
  auto slow = other.accept();
  slow.read();
  w.fetch_from(other.url("/another"), numbered(3));
  auto another = other.accept();
  another.read();
  started = {};
  elsewhere = {};
  caf::anon_send_exit(who, caf::exit_reason::kill);
  who = nullptr;
  EXPECT_TRUE(stream.ended());
  EXPECT_TRUE(slow.ended());
  another.send(response(200, "application/json", "{}"));
  EXPECT_EQ(w.answer().end, fetch_end::complete) << "those of others go on";
}

TEST(egress, an_asker_that_died_before_it_was_heard) {
  real_world w;
  listener server;
  auto who = w.system().spawn<mortal>();
  auto started = w.make_start(server.url("/stream"), numbered(1, verb::get));
  started.asker = who;
  w.on_unit([&] { caf::anon_send_exit(who, caf::exit_reason::kill); });
  caf::anon_send(w.doors().egress, started);
  started = {};
  who = nullptr;
  auto s = server.accept();
  s.read_to_end();  // there is an end
}

}  // namespace
}  // namespace gate::testing
