// A pinned actor takes its messages as any actor of CAF does: the same play with both.
#include "transport/scheduler/taking.hpp"

#include <gtest/gtest.h>

#include <caf/all.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "simulations/world/actor_stage.hpp"
#include "transport/pinned.hpp"

namespace gate::testing {

using sim::actor_stage;

struct note {
  int n = 0;
};
struct question {
  int n = 0;
};
struct told {
  int n = 0;
};
struct unheard_of {};
struct broken {};
struct wait_for_number {};

}  // namespace gate::testing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::note)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::question)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::unheard_of)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::broken)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::wait_for_number)

namespace gate::testing {
namespace {

using namespace std::chrono_literals;
using log = std::vector<std::string>;

/// CAF's own, with the constructor of a pinned one.
class plain : public caf::event_based_actor {
 public:
  plain(caf::actor_config& cfg, caf::execution_unit*) : caf::event_based_actor(cfg) {}
};

template <class Base>
class subject final : public Base {
 public:
  subject(caf::actor_config& cfg, log& seen) : Base(cfg, nullptr), seen_(seen) {}

  caf::behavior make_behavior() override {
    this->set_down_handler([this](const caf::down_msg&) { seen_.push_back("down"); });
    this->set_default_handler([this](auto*, caf::message_view&) -> caf::result<caf::message> {
      seen_.push_back("default");
      return caf::sec::unexpected_message;
    });
    return {
        [this](const note& m) { seen_.push_back("note " + std::to_string(m.n)); },
        [this](const question& m) {
          seen_.push_back("question " + std::to_string(m.n));
          return told{m.n + 1};
        },
        [this](int n) { seen_.push_back("number " + std::to_string(n)); },
        [this](caf::actor whom) {
          this->monitor(whom);
          caf::anon_send_exit(whom, caf::exit_reason::kill);
        },
        [this](broken) -> void { throw std::runtime_error("broken"); },
        [this](wait_for_number) {
          this->set_default_handler(caf::skip);
          this->become(caf::keep_behavior, [this](int n) {
            seen_.push_back("waited for " + std::to_string(n));
            this->unbecome();
          });
        },
        [this](caf::actor whom, question q) {
          this->request(whom, caf::infinite, q).await([this](const told& t) {
            seen_.push_back("awaited " + std::to_string(t.n));
          });
        },
        caf::after(1s) >> [this] { seen_.push_back("late"); },
    };
  }

  void on_exit() override { seen_.push_back("exit"); }

 private:
  log& seen_;
};

/// Who asks, and tells what comes back.
caf::behavior asker(caf::event_based_actor* self, log* seen, caf::actor whom) {
  self->send(whom, question{1});
  self->send(whom, note{1});
  self->request(whom, caf::infinite, question{10}).then([seen](const told& t) {
    seen->push_back("answer " + std::to_string(t.n));
  });
  self->request(whom, caf::infinite, note{2}).then([seen] { seen->push_back("noted"); });
  self->request(whom, caf::infinite, unheard_of{})
      .then([] {}, [seen](const caf::error&) { seen->push_back("refused"); });
  return {[seen](const told& t) { seen->push_back("told " + std::to_string(t.n)); }};
}

using play = std::function<void(actor_stage&, const caf::actor&, log&)>;

template <class Base>
log outcome(const play& what) {
  log seen;
  actor_stage stage;
  what(stage, stage.system().spawn<subject<Base>>(seen), seen);
  return seen;
}

void same_as_caf(const play& what, const std::string& must_have) {
  const auto theirs = outcome<plain>(what);
  EXPECT_EQ(outcome<pinned<caf::event_based_actor>>(what), theirs);
  EXPECT_NE(std::ranges::find(theirs, must_have), theirs.end()) << "the play shows nothing";
}

TEST(taking, messages_come_in_order) {
  same_as_caf(
      [](actor_stage& s, const caf::actor& a, log&) {
        s.hold(true);
        for (int i = 0; i < 10; ++i) {
          s.tell(a, note{i});
          s.tell(a, i);
        }
        s.hold(false);
        s.tell(a, note{10});
      },
      "note 10");
}

TEST(taking, what_is_asked_is_answered) {
  const play what = [](actor_stage& s, const caf::actor& a, log& seen) {
    s.system().spawn(asker, &seen, a);
    s.settle();
  };
  for (const auto* line : {"told 2", "answer 11", "noted", "refused"}) same_as_caf(what, line);
}

TEST(taking, what_nobody_understands_goes_to_the_default_handler) {
  same_as_caf(
      [](actor_stage& s, const caf::actor& a, log&) {
        s.tell(a, unheard_of{});
        s.tell(a, note{1});
      },
      "default");
}

TEST(taking, what_is_skipped_comes_later) {
  same_as_caf(
      [](actor_stage& s, const caf::actor& a, log&) {
        s.tell(a, wait_for_number{});
        for (int i = 0; i < 5; ++i) s.tell(a, note{i});
        s.tell(a, 7);
        s.tell(a, note{5});
      },
      "waited for 7");
}

TEST(taking, all_else_waits_for_what_is_awaited) {
  same_as_caf(
      [](actor_stage& s, const caf::actor& a, log&) {
        s.hold(true);
        const auto other = s.system().spawn([](caf::event_based_actor*) -> caf::behavior {
          return {[](const question& q) { return told{q.n}; }};
        });
        s.tell(a, other, question{5});
        s.tell(a, note{1});
        s.settle();
      },
      "awaited 5");
}

TEST(taking, a_receive_timeout_is_kept) {
  same_as_caf(
      [](actor_stage& s, const caf::actor& a, log&) {
        s.tell(a, note{1});
        s.advance(900ms);
        s.tell(a, note{2});
        s.advance(900ms);
        s.advance(200ms);
        s.tell(a, 3);
      },
      "late");
}

TEST(taking, the_messages_of_caf_itself_are_understood) {
  same_as_caf(
      [](actor_stage& s, const caf::actor& a, log&) {
        s.tell(a, s.system().spawn(
                      [](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; }));
        caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
        s.tell(a, note{1});
      },
      "down");
}

TEST(taking, an_exception_ends_the_actor) {
  same_as_caf(
      [](actor_stage& s, const caf::actor& a, log&) {
        s.hold(true);
        s.tell(a, note{1});
        s.tell(a, broken{});
        s.tell(a, note{2});
        s.settle();
      },
      "exit");
}

TEST(taking, no_more_are_taken_in_one_turn_than_may_be) {
  log seen;
  actor_stage stage;
  auto a = stage.system().spawn<subject<pinned<caf::event_based_actor>>>(seen);
  stage.settle();
  stage.hold(true);
  for (int i = 0; i < 10; ++i) stage.tell(a, i);
  auto* self = caf::actor_cast<caf::scheduled_actor*>(caf::actor_cast<caf::strong_actor_ptr>(a));
  auto* unit = self->context();
  EXPECT_EQ(taking::resume(*self, unit, 4), caf::resumable::resume_later);
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_EQ(taking::resume(*self, unit, 100), caf::resumable::awaiting_message);
  EXPECT_EQ(seen.size(), 10u);
  caf::anon_send(a, 11);
  stage.settle();
}

}  // namespace
}  // namespace gate::testing
