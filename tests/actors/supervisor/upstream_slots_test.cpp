#include "actors/supervisor/upstream_slots.hpp"

#include "config/validate.hpp"
#include "tests/support/actor_test.hpp"

namespace gate::supervisor {
namespace {

using namespace sim;

/// Makes actors that do nothing, and writes down what is done with them: `upstream 1:0` is the one
/// with the number 1 on unit 0.
class fake_slots_door final : public slots_door {
 public:
  explicit fake_slots_door(actor_stage& s, children& c) : stage_(s), children_(c) {}

  upstream_handle make_upstream(const child& who, const slot&) override {
    return make<upstream_handle>(who);
  }
  breaker_handle make_breaker(const child& who, const slot&) override {
    return make<breaker_handle>(who);
  }
  balancer_handle make_balancer(const child& who, const slot& of) override {
    return of.config->endpoints.size() > 1 ? make<balancer_handle>(who) : balancer_handle{};
  }
  void announce(const child& who) override { note("announce", name(who)); }
  void listen(const breaker_handle& to, const upstream_handle& who) override {
    note(name_of(to), "tells " + name_of(who));
  }
  void probe_by(const balancer_handle& it, const upstream_handle& who) override {
    note(name_of(it), who ? "probes by " + name_of(who) : "can not probe");
  }
  void show_health(const breaker_handle& breaker, const balancer_handle& balancer) override {
    if (breaker) note("HEALTH sees", name_of(breaker));
    if (balancer) note("HEALTH sees", name_of(balancer));
  }
  void retire(const upstream_handle& who) override { note("retire", name_of(who)); }
  void kill(const caf::actor& who) override { note("kill", name_of(who)); }
  void end(const caf::actor& who) override { note("end", name_of(who)); }

  /// What was done since somebody last looked, and of whom.
  std::vector<std::string> done() { return std::exchange(done_, {}); }
  std::size_t made() const { return names_.size(); }

 private:
  static std::string name(const child& who) {
    const auto number = std::to_string(who.index);
    if (who.what == role::breaker) return "breaker " + number;
    if (who.what == role::balancer) return "balancer " + number;
    return "upstream " + number + ":" + std::to_string(who.unit);
  }
  template <class Handle>
  Handle make(const child& who) {
    const auto it = stage_.system().spawn(
        [](caf::event_based_actor*) -> caf::behavior { return {[](caf::unit_t) {}}; });
    children_.born(it.id(), who, {});
    names_[it.id()] = name(who);
    note("make", name(who));
    return caf::actor_cast<Handle>(it);
  }
  template <class Handle>
  std::string name_of(const Handle& it) const {
    return names_.at(it.id());
  }
  void note(const std::string& what, const std::string& whom) {
    done_.push_back(what + " " + whom);
  }

  actor_stage& stage_;
  children& children_;
  std::map<caf::actor_id, std::string> names_;
  std::vector<std::string> done_;
};

/// Number 0 has one endpoint, number 1 two.
constexpr std::string_view two = R"({"upstreams":[
  {"id":"a","url":"http://a.test/mcp","namespace":"a"},
  {"id":"b","urls":["http://b0.test/mcp","http://b1.test/mcp"],"namespace":"b"}]})";

using lines = std::vector<std::string>;

struct slots_test : actor_test {
  children kids;
  fake_slots_door door{*this, kids};
  upstream_slots it{door, kids, 2};
  snapshot_ptr snapshot;

  slots_test() {
    auto parsed = gate::config::load(two);
    for (const auto& p : parsed.problems) ADD_FAILURE() << gate::config::to_line(p);
    snapshot = gate::config::compile(std::move(parsed.doc));
    it.extend(snapshot->slots);
  }
  ~slots_test() override {
    it.clear();
    clear_stage();
  }

  void open(std::size_t index) { it.open(*snapshot->at(index)); }
  void open_and_start(std::size_t index) {
    open(index);
    for (std::size_t unit = 0; unit < 2; ++unit) it.start(unit, index);
    door.done();
  }
  template <class Handle>
  void die(const Handle& who) {
    const auto fallen = kids.down(who.id(), {});
    ASSERT_TRUE(fallen);
    it.lost(fallen->who);
  }
};

TEST_F(slots_test, an_upstream_has_a_breaker_and_one_upstream_on_each_unit) {
  open(0);
  EXPECT_EQ(door.done(), (lines{"make breaker 0", "announce breaker 0", "HEALTH sees breaker 0"}));
  EXPECT_EQ(it.alive(), 0U);
  it.start(1, 0);
  EXPECT_EQ(door.done(), (lines{"make upstream 0:1", "breaker 0 tells upstream 0:1"}));
  EXPECT_EQ(it.alive(), 1U);
  EXPECT_FALSE(it.on_unit(0).at(0));
  EXPECT_EQ(it.on_unit(1).at(0), it.at(0).units[1]);
  EXPECT_FALSE(it.on_unit(1).at(1)) << "the number is free";
}

TEST_F(slots_test, the_upstream_of_the_first_unit_probes_for_the_balancer) {
  open(1);
  EXPECT_EQ(door.done(),
            (lines{"make breaker 1", "announce breaker 1", "HEALTH sees breaker 1",
                   "make balancer 1", "announce balancer 1", "HEALTH sees balancer 1"}));
  it.start(0, 1);
  it.start(1, 1);
  EXPECT_EQ(door.done(), (lines{"make upstream 1:0", "breaker 1 tells upstream 1:0",
                                "balancer 1 probes by upstream 1:0", "make upstream 1:1",
                                "breaker 1 tells upstream 1:1"}));
}

TEST_F(slots_test, an_upstream_that_crashed_comes_back_to_where_it_was) {
  open_and_start(1);
  die(it.at(1).units[0]);
  EXPECT_EQ(door.done(), (lines{"announce upstream 1:0", "balancer 1 can not probe"}));
  EXPECT_EQ(it.alive(), 1U);
  it.restart({role::upstream, 0, 1});
  EXPECT_EQ(door.done(), (lines{"make upstream 1:0", "breaker 1 tells upstream 1:0",
                                "balancer 1 probes by upstream 1:0", "announce upstream 1:0"}));
  it.restart({role::upstream, 0, 1});
  EXPECT_EQ(door.done(), lines{}) << "it is there already";
}

TEST_F(slots_test, guards_that_crashed_come_back_and_are_told_whom_they_work_for) {
  open_and_start(1);
  die(it.at(1).breaker);
  die(it.at(1).balancer);
  EXPECT_EQ(door.done(), (lines{"announce breaker 1", "announce balancer 1"}));
  EXPECT_FALSE(it.at(1).breaker);
  EXPECT_FALSE(it.at(1).balancer);
  it.restart({role::breaker, 0, 1});
  EXPECT_EQ(door.done(),
            (lines{"make breaker 1", "announce breaker 1", "breaker 1 tells upstream 1:0",
                   "breaker 1 tells upstream 1:1", "HEALTH sees breaker 1"}));
  it.restart({role::balancer, 0, 1});
  EXPECT_EQ(door.done(), (lines{"make balancer 1", "announce balancer 1",
                                "balancer 1 probes by upstream 1:0", "HEALTH sees balancer 1"}));
}

TEST_F(slots_test, one_that_leaves_loses_its_guards_and_ends_when_nobody_asks_it) {
  open_and_start(1);
  it.begin_to_leave(1);
  EXPECT_EQ(door.done(), (lines{"announce breaker 1", "announce balancer 1", "end breaker 1",
                                "end balancer 1"}));
  EXPECT_EQ(kids.size(), 2U) << "the death of those two is nobody's concern";
  EXPECT_TRUE(it.is_leaving(1));
  it.on_left({0, 1});
  EXPECT_EQ(door.done(), lines{"retire upstream 1:0"});
  die(it.at(1).units[0]);
  it.on_left({0, 1});
  EXPECT_EQ(door.done(), lines{"announce upstream 1:0"});
  EXPECT_TRUE(it.at(1).config) << "another unit has it still";
  die(it.at(1).units[1]);
  EXPECT_FALSE(it.at(1).config) << "the number is free";
  EXPECT_EQ(kids.places(), 0U) << "and so is what was known of its crashes";
}

TEST_F(slots_test, nothing_comes_back_to_one_that_leaves_or_is_another) {
  open_and_start(0);
  it.begin_to_leave(0);
  die(it.at(0).units[0]);
  die(it.at(0).units[1]);
  const auto made = door.made();
  for (const auto what : {role::upstream, role::breaker, role::balancer}) it.restart({what, 0, 0});
  EXPECT_EQ(door.made(), made);
  open(0);
  it.restart({role::balancer, 0, 0});
  it.restart({role::breaker, 0, 0});
  EXPECT_EQ(door.made(), made + 1) << "its own breaker; it needs no balancer";
}

TEST_F(slots_test, who_was_not_told_to_leave_stays) {
  open_and_start(0);
  it.on_left({0, 0});
  EXPECT_EQ(door.done(), lines{});
}

TEST_F(slots_test, a_unit_that_crashed_takes_its_upstreams_along) {
  open_and_start(0);
  open_and_start(1);
  it.end_unit(1);
  EXPECT_EQ(door.done(), (lines{"end upstream 0:1", "announce upstream 0:1", "end upstream 1:1",
                                "announce upstream 1:1"}));
  EXPECT_EQ(it.alive(), 2U);
  EXPECT_TRUE(it.on_unit(0).at(1));
}

TEST_F(slots_test, one_that_leaves_is_gone_with_the_last_unit_that_has_it) {
  open_and_start(0);
  it.begin_to_leave(0);
  it.end_unit(0);
  EXPECT_TRUE(it.at(0).config);
  it.end_unit(1);
  EXPECT_FALSE(it.at(0).config);
}

TEST_F(slots_test, at_the_end_all_are_killed_and_waited_for) {
  open_and_start(1);
  it.end_all();
  EXPECT_EQ(door.done(),
            (lines{"kill upstream 1:0", "kill upstream 1:1", "kill breaker 1", "kill balancer 1"}));
  EXPECT_EQ(kids.size(), 4U);
  it.drop({role::upstream, 0, 1});
  it.drop({role::upstream, 1, 1});
  it.drop({role::health});
  EXPECT_EQ(it.alive(), 0U);
  EXPECT_EQ(door.done(), lines{}) << "nobody is told";
}

TEST_F(slots_test, a_new_health_is_shown_all_that_is_there) {
  open_and_start(0);
  open_and_start(1);
  it.show_all_to_health();
  EXPECT_EQ(door.done(),
            (lines{"HEALTH sees breaker 0", "HEALTH sees breaker 1", "HEALTH sees balancer 1"}));
}

}  // namespace
}  // namespace gate::supervisor
