#include "shim/up/kept_program_actor.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "protocol/limits/client_files.hpp"
#include "simulations/world/actor_stage.hpp"

namespace gate::up {
namespace {

using words = std::vector<std::string>;

/// A program that the test speaks for.
struct fake_program {
  program_spec spec;
  program_user user;
  program_handle handle;
  std::vector<int> signals;
};

class kept_program : public testing::Test {
 protected:
  void begin() {
    const auto listener = stage.system().spawn([this]() -> kept_user::behavior_type {
      return {
          [this](const kept_listens& m) { told.push_back(m.id + " listens " + m.url); },
          [this](const kept_said& m) { told.push_back(m.id + " says " + m.line); },
          [this](const kept_ended& m) {
            told.push_back(m.id + (m.for_good ? " is gone: " : " ended: ") + m.why);
          },
      };
    });
    kept_parts parts;
    parts.id = "a";
    parts.spec = [](std::uint16_t port) { return program_spec{{"run", std::to_string(port)}, {}}; };
    parts.start = [this](program_spec spec, program_user user) {
      auto& p = programs.emplace_back(std::make_shared<fake_program>());
      p->spec = std::move(spec);
      p->user = std::move(user);
      p->handle = stage.system().spawn([it = p.get()]() -> program_handle::behavior_type {
        return {[it](const signal_program& m) { it->signals.push_back(m.number); }};
      });
      return p->handle;
    };
    parts.any_port = any_port;
    parts.user = listener;
    user_ = listener;
    kept = stage.system().spawn<kept_program_actor>(nullptr, std::move(parts));
    stage.settle();
  }
  void TearDown() override {
    for (auto& p : programs) {
      caf::anon_send_exit(p->handle, caf::exit_reason::kill);
      p->user = nullptr;
    }
    caf::anon_send_exit(kept, caf::exit_reason::kill);
    caf::anon_send_exit(user_, caf::exit_reason::kill);
    stage.settle();
  }
  fake_program& latest() { return *programs.back(); }
  words take() { return std::exchange(told, {}); }
  void listening(std::string_view port) {
    stage.tell(latest().user, program_started{7});
    stage.tell(latest().user,
               program_said{{R"({"level":"info","msg":"gate is listening on http://127.0.0.1:)" +
                             std::string(port) + R"(/mcp"})"}});
  }

  sim::actor_stage stage;
  std::vector<std::shared_ptr<fake_program>> programs;
  kept_handle kept;
  kept_user user_;
  bool any_port = false;
  words told;
};

TEST_F(kept_program, is_started_and_heard) {
  begin();
  ASSERT_EQ(programs.size(), 1U);
  EXPECT_EQ(latest().spec.command, (words{"run", "0"}));
  listening("4001");
  const auto said = take();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0], "a listens http://127.0.0.1:4001/mcp");
  EXPECT_EQ(said[1].substr(0, 7), "a says ");
}

TEST_F(kept_program, is_started_again_on_its_port_and_later_each_time) {
  begin();
  listening("4001");
  take();
  stage.tell(latest().user, program_ended{9, true});
  EXPECT_EQ(take(), words{"a ended: it was ended by signal 9"});
  EXPECT_EQ(programs.size(), 1U);
  stage.advance(limits::program_restart_least);
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(latest().spec.command, (words{"run", "4001"}));
  stage.tell(latest().user, program_failed{"no such file"});
  EXPECT_EQ(take(), words{"a ended: no such file"});
  stage.advance(limits::program_restart_least);
  EXPECT_EQ(programs.size(), 2U);
  stage.advance(limits::program_restart_least);
  EXPECT_EQ(programs.size(), 3U);
}

TEST_F(kept_program, is_ended_when_it_is_told_to) {
  begin();
  listening("4001");
  take();
  stage.tell(kept, end_kept{});
  stage.tell(kept, end_kept{});
  EXPECT_EQ(latest().signals, std::vector<int>{SIGTERM});
  stage.tell(latest().user, program_ended{0, false});
  EXPECT_EQ(take(), words{"a is gone: it ended with exit code 0"});
  stage.advance(2 * limits::program_restart_most);
  EXPECT_EQ(programs.size(), 1U);
}

TEST_F(kept_program, that_does_not_end_is_killed) {
  begin();
  listening("4001");
  stage.tell(kept, end_kept{});
  stage.advance(limits::program_goodbye);
  EXPECT_EQ(latest().signals, (std::vector<int>{SIGTERM, SIGKILL}));
}

TEST_F(kept_program, that_waits_to_be_started_again_is_gone_at_once) {
  begin();
  stage.tell(latest().user, program_failed{"no"});
  take();
  stage.tell(kept, end_kept{});
  EXPECT_EQ(take(), words{"a is gone: it was ended"});
  stage.advance(2 * limits::program_restart_most);
  EXPECT_EQ(programs.size(), 1U);
}

TEST_F(kept_program, is_told_to_read_its_document_again_if_it_runs) {
  begin();
  stage.tell(kept, reload_kept{});
  EXPECT_TRUE(latest().signals.empty());  // it could not hear it yet
  listening("4001");
  EXPECT_EQ(latest().signals, std::vector<int>{SIGHUP});
  stage.tell(kept, reload_kept{});
  EXPECT_EQ(latest().signals, (std::vector<int>{SIGHUP, SIGHUP}));
}

TEST_F(kept_program, whose_port_somebody_else_has_by_now_takes_another) {
  any_port = true;
  begin();
  listening("4001");
  stage.tell(latest().user, program_ended{9, true});
  stage.advance(limits::program_restart_least);
  EXPECT_EQ(latest().spec.command, (words{"run", "4001"}));
  stage.tell(latest().user, program_ended{1, false});
  stage.advance(2 * limits::program_restart_least);
  EXPECT_EQ(latest().spec.command, (words{"run", "0"}));
}

}  // namespace
}  // namespace gate::up
