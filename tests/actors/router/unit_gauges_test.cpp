#include "actors/router/unit_gauges.hpp"

#include "actors/pipeline/inquiry.hpp"
#include "actors/router/inquiries.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

using namespace std::chrono_literals;

struct gauges : sim::router_stage {
  void second(std::chrono::milliseconds late = 0ms) {
    pass(1s + late);
    it.on_timer(timer::upkeep);
  }
  double streams(std::string_view kind) { return counters->get(metric::streams, {kind}).now(); }
};

TEST_F(gauges, show_the_streams_that_are_open) {
  it.start();
  const auto s = open();
  auto r = listen(s);
  EXPECT_EQ(streams("session"), 0) << "once a second";
  second();
  EXPECT_EQ(streams("session"), 1);
  EXPECT_EQ(streams("answer"), 0);
  it.on_client_gone(r->number);
  second();
  EXPECT_EQ(streams("session"), 0);
  listen(s);
  second();
  it.clear();
  EXPECT_EQ(streams("session"), 0) << "of a unit that is gone";
}

TEST_F(gauges, measure_how_late_the_unit_is) {
  it.start();
  second();
  second(40ms);
  const auto text = counters->expose();
  EXPECT_NE(text.find("gate_event_loop_delay_seconds_count 2"), text.npos);
  EXPECT_NE(text.find("gate_event_loop_delay_seconds_sum 0.04"), text.npos);
}

}  // namespace
}  // namespace gate::routing
