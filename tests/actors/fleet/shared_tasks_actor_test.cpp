// Whose tasks are, over several instances, and what each of them says while their store is away.
#include "actors/fleet/shared_tasks_actor.hpp"

#include "actors/fleet/shared_owners.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/shared_scripts.hpp"
#include "tests/actors/guards/guard_stage.hpp"

namespace gate::fleet {
namespace {

using namespace std::chrono_literals;
using tasks::verdict;

constexpr std::uint64_t alice = 0xa11ce, mallory = 0x3a1;

struct owners_of_tasks : guards::testing::guard_test {
  owners_of_tasks() {
    sim::teach_scripts(*store, 1'795'000'000'000ms);
    for (const auto* name : {"one", "two", "three"}) {
      doors.push_back(system().spawn<sim::fake_store_door>(store));
      instances.push_back(system().spawn<shared_tasks_actor>(nullptr, doors.back(), name));
    }
    settle();
  }
  ~owners_of_tasks() override {
    instances.clear();
    doors.clear();
  }
  void mint(std::size_t instance, const std::string& id, std::uint64_t owner,
            const std::string& upstream = "a", std::uint64_t client = 7) {
    tell(instances.at(instance), pin_task{id, owner, {upstream, 0, client}});
  }
  pending<tasks_found> ask(std::size_t instance, std::vector<std::string> ids,
                           std::uint64_t owner) {
    return sim::actor_stage::ask<tasks_found>(instances.at(instance),
                                              find_tasks{std::move(ids), owner});
  }
  tasks::finding find(std::size_t instance, const std::string& id, std::uint64_t owner) {
    return ask(instance, {id}, owner).get().findings.at(0);
  }
  verdict of(std::size_t instance, const std::string& id, std::uint64_t owner) {
    return find(instance, id, owner).verdict;
  }
  std::size_t asked() const { return store->seen().size(); }

  std::shared_ptr<sim::fake_store> store = std::make_shared<sim::fake_store>();
  std::vector<store_handle> doors;
  std::vector<tasks_handle> instances;
};

TEST_F(owners_of_tasks, are_known_at_all_instances) {
  mint(0, "t", alice);
  const auto at_one = find(0, "t", alice), at_two = find(1, "t", alice);
  EXPECT_EQ(at_one.verdict, verdict::own);
  EXPECT_EQ(at_one.place, (tasks::place{"a", 0, 7}));
  EXPECT_EQ(at_two.verdict, verdict::own);
  EXPECT_EQ(at_two.place, (tasks::place{"a", tasks::elsewhere, 0}))
      << "nobody here has that session";
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(of(i, "t", mallory), verdict::foreign) << i;
    EXPECT_EQ(of(i, "u", alice), verdict::unknown) << i;
  }
}

TEST_F(owners_of_tasks, say_who_can_be_asked_about_them) {
  tasks::place where{"a", 0, 7};
  where.instance.fill(0x5a);
  tell(instances.at(0), pin_task{"t", alice, where});
  auto there = where;
  there.unit = tasks::elsewhere;
  for (std::size_t i = 1; i < 3; ++i) EXPECT_EQ(find(i, "t", alice).place, there) << i;
  EXPECT_EQ(find(0, "t", alice).place, where);
  // Whatever else stands there, it is the caller's, and nobody can be asked.
  const std::string name = '@' + std::string(32, '5');
  const auto key = task_key(sha256{}, "t");
  const auto known = store->get(key).value();
  const auto before = known.substr(0, known.find('@'));
  std::uint64_t n = 0;
  for (const std::string& odd : std::vector<std::string>{
           "@", "@ 0 7", "@zz 0 7", name, name + " ", name + " 0", name + " 0 ", name + " 0 7x",
           name + "5 0 7", name + " 999 7", "@-" + name.substr(2) + " 0 7"}) {
    // (Another one each time: what was told once stays known.)
    const auto id = "odd" + std::to_string(n++);
    store->set(task_key(sha256{}, id), before + odd + '\n', 1min);
    const auto found = find(1, id, alice);
    EXPECT_EQ(found.verdict, verdict::own) << odd;
    EXPECT_EQ(found.place, (tasks::place{"a", tasks::elsewhere, 0})) << odd;
  }
}

TEST_F(owners_of_tasks, may_be_those_of_calls_that_are_under_way_at_the_same_instance) {
  tell(instances.at(0), note_minting{"a", alice, tasks::minting::begun});
  EXPECT_EQ(ask(0, {"t"}, mallory).get().minting, std::vector<std::string>{"a"});
  EXPECT_TRUE(ask(0, {"t"}, alice).get().minting.empty());
  EXPECT_TRUE(ask(1, {"t"}, mallory).get().minting.empty()) << "others do not know of it";
}

TEST_F(owners_of_tasks, are_not_asked_for_again_in_the_store) {
  find(0, "t", alice);
  EXPECT_EQ(asked(), 1U);
  find_tasks again{{"t"}, alice, true};
  const auto found = sim::actor_stage::ask<tasks_found>(instances.at(0), std::move(again)).get();
  EXPECT_EQ(found.findings.at(0).verdict, verdict::unknown);
  EXPECT_EQ(asked(), 1U);
}

TEST_F(owners_of_tasks, cost_no_question_where_they_are_known) {
  mint(0, "t", alice);
  EXPECT_EQ(asked(), 1U);
  find(0, "t", alice);
  EXPECT_EQ(asked(), 1U);
  find(1, "t", alice);
  EXPECT_EQ(asked(), 2U);
  for (int i = 0; i < 3; ++i) find(1, "t", alice);
  EXPECT_EQ(asked(), 2U) << "it has learnt";
}

TEST_F(owners_of_tasks, leave_nobodys_words_in_the_store_in_clear) {
  mint(0, "a secret name", alice, "a", 9);
  ASSERT_EQ(asked(), 1U);
  EXPECT_EQ(store->seen()[0],
            "gate:{task:4a75bd7ef7cb1efe6bafddb0801fc657ff77cbc458a93d7c7f5a79045730c4f7}"
            " a 00000000000a11ce one 0 9 0 86400000");
}

TEST_F(owners_of_tasks, are_told_to_a_store_that_has_lost_its_data) {
  for (int n = 0; n < 200; ++n) mint(0, std::to_string(n), alice);
  mint(1, "of two", mallory);
  EXPECT_EQ(of(1, "7", alice), verdict::own);
  store->go();
  store->forget_all();
  store->back();
  settle();
  EXPECT_EQ(of(2, "of two", mallory), verdict::own);
  for (int n = 0; n < 200; ++n) EXPECT_EQ(of(2, std::to_string(n), alice), verdict::own) << n;
  EXPECT_EQ(find(0, "7", alice).place, (tasks::place{"a", 0, 7})) << "its session is here";
}

TEST_F(owners_of_tasks, are_the_first_minters) {
  mint(0, "t", alice);
  mint(1, "t", mallory);
  EXPECT_EQ(logged("claims a task"), 1U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(of(i, "t", alice), verdict::own) << i;
    EXPECT_EQ(of(i, "t", mallory), verdict::foreign) << i;
  }
  mint(1, "t", alice, "a", 8);
  EXPECT_EQ(logged("claims a task"), 1U) << "it is hers, wherever she comes to";
}

TEST_F(owners_of_tasks, wait_for_what_becomes_of_a_claim) {
  mint(0, "t", alice);
  store->delay(100ms);
  mint(1, "t", mallory);
  auto mallorys = ask(1, {"t"}, mallory);
  EXPECT_FALSE(mallorys.done()) << "its own ledger says that it is hers";
  advance(100ms);
  EXPECT_EQ(mallorys.get().findings.at(0).verdict, verdict::foreign);
  store->delay(0ms);
  EXPECT_EQ(of(1, "t", alice), verdict::own) << "and that is known from then on";
}

TEST_F(owners_of_tasks, of_two_upstreams_may_be_called_the_same) {
  mint(0, "1", alice, "a");
  mint(1, "1", mallory, "b");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(find(i, "1", alice).place.upstream, "a") << i;
    EXPECT_EQ(find(i, "1", mallory).place.upstream, "b") << i;
    EXPECT_EQ(of(i, "1", 3), verdict::foreign) << i;
  }
  EXPECT_EQ(logged("claims a task"), 0U);
}

TEST_F(owners_of_tasks, of_one_name_have_their_latest_place) {
  mint(0, "1", alice, "a");
  advance(1s);
  mint(1, "1", alice, "b");
  EXPECT_EQ(find(2, "1", alice).place.upstream, "b");
}

TEST_F(owners_of_tasks, are_asked_for_in_portions) {
  const std::size_t many = 2 * limits::store_tasks_at_once + 1;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < many; ++i) {
    ids.push_back(std::to_string(i));
    mint(0, ids.back(), i % 2 ? alice : mallory);
  }
  const auto before = asked();
  store->delay(10ms);
  auto p = ask(1, ids, alice);
  EXPECT_EQ(asked() - before, limits::store_tasks_at_once);
  advance(10ms);
  EXPECT_FALSE(p.done());
  advance(20ms);
  EXPECT_EQ(asked() - before, many);
  for (std::size_t i = 0; i < many; ++i)
    ASSERT_EQ(p.get().findings[i].verdict, i % 2 ? verdict::own : verdict::foreign) << i;
}

TEST_F(owners_of_tasks, are_what_each_instance_knows_while_the_store_is_away) {
  mint(0, "before", alice);
  EXPECT_EQ(of(1, "before", alice), verdict::own);
  store->go();
  settle();
  EXPECT_EQ(of(1, "before", mallory), verdict::foreign) << "it has heard so";
  EXPECT_EQ(of(2, "before", mallory), verdict::unknown) << "nobody could tell it";
  mint(0, "t", alice);
  EXPECT_EQ(of(0, "t", alice), verdict::own);
  EXPECT_EQ(of(1, "t", alice), verdict::unknown);
  store->back();
  settle();
  EXPECT_EQ(of(1, "t", alice), verdict::own) << "the store was told when it returned";
  EXPECT_EQ(of(2, "t", mallory), verdict::foreign);
}

TEST_F(owners_of_tasks, minted_while_the_store_was_away_are_the_first_that_it_hears_of) {
  store->go();
  settle();
  mint(0, "t", alice);
  mint(1, "t", mallory);
  EXPECT_EQ(of(1, "t", mallory), verdict::own) << "as far as this instance knows";
  store->back();
  settle();
  std::size_t owners = 0;
  for (const auto who : {alice, mallory}) {
    const auto verdict_of = [&](std::size_t i) { return of(i, "t", who); };
    owners += verdict_of(0) == verdict::own;
    EXPECT_EQ(verdict_of(0), verdict_of(1));
    EXPECT_EQ(verdict_of(0), verdict_of(2));
  }
  EXPECT_EQ(owners, 1U);
  EXPECT_EQ(logged("claims a task"), 1U);
}

TEST_F(owners_of_tasks, minted_while_the_store_was_away_are_told_within_their_time_only) {
  store->go();
  settle();
  mint(0, "old", alice);
  advance(limits::store_task - 1min);
  mint(0, "new", alice);
  advance(1min);
  store->back();
  settle();
  EXPECT_EQ(store->size(), 1U);
  EXPECT_EQ(of(1, "new", alice), verdict::own);
  EXPECT_EQ(of(1, "old", alice), verdict::unknown);
}

TEST_F(owners_of_tasks, minted_while_the_store_was_away_are_bounded) {
  store->go();
  settle();
  for (std::size_t i = 0; i <= limits::store_task_debts; ++i)
    caf::anon_send(instances[0], pin_task{"f" + std::to_string(i), i, {"a", 0, 1}});
  settle();
  store->back();
  settle();
  EXPECT_EQ(store->size(), limits::store_task_debts);
  EXPECT_EQ(of(1, "f0", alice), verdict::unknown) << "the oldest is known to its instance alone";
  EXPECT_EQ(of(0, "f0", 0), verdict::own);
}

TEST_F(owners_of_tasks, are_forgotten_a_day_after_their_minting) {
  mint(0, "t", alice);
  advance(limits::store_task - 1s);
  EXPECT_EQ(of(1, "t", alice), verdict::own);
  advance(1s);
  EXPECT_EQ(of(2, "t", alice), verdict::unknown);
  EXPECT_EQ(store->size(), 0U);
}

TEST_F(owners_of_tasks, are_asked_for_half_a_second_and_not_longer) {
  mint(0, "t", alice);
  store->fall_silent();
  auto p = ask(1, {"t"}, alice);
  advance(499ms);
  EXPECT_FALSE(p.done());
  advance(1ms);
  EXPECT_EQ(p.get().findings.at(0).verdict, verdict::unknown);
  mint(1, "u", alice);
  advance(500ms);
  EXPECT_EQ(of(1, "u", alice), verdict::own) << "its own ledger knows, and nothing is in doubt";
  store->speak();
  mint(1, "v", alice);
  settle();
  EXPECT_EQ(of(2, "u", alice), verdict::own) << "what it was not told in time it is told later";
}

TEST_F(owners_of_tasks, are_decided_here_when_the_store_refuses_or_says_what_is_no_answer) {
  store->refuse("-OOM command not allowed");
  mint(0, "t", alice);
  EXPECT_EQ(of(0, "t", alice), verdict::own);
  EXPECT_EQ(of(1, "t", alice), verdict::unknown);
  store->refuse({});
  for (const auto* answer : {"*1\r\n$1\r\na\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n", ":1\r\n"}) {
    store->teach(owners_script(), [answer](auto&&...) { return answer; });
    EXPECT_EQ(of(1, "t", alice), verdict::unknown) << answer;
  }
}

TEST_F(owners_of_tasks, are_known_after_a_crash_and_where_they_were_minted) {
  mint(0, "t", alice, "a", 7);
  mint(1, "u", alice, "a", 8);
  crash(instances[0]);
  instances[0] = system().spawn<shared_tasks_actor>(nullptr, doors[0], "one");
  settle();
  EXPECT_EQ(find(0, "t", alice).place, (tasks::place{"a", 0, 7})) << "the session is still there";
  EXPECT_EQ(find(0, "u", alice).place, (tasks::place{"a", tasks::elsewhere, 0}));
}

TEST_F(owners_of_tasks, are_asked_for_by_nobody_who_dies) {
  store->fall_silent();
  auto p = ask(0, {"t"}, alice);
  crash(instances[0]);
  EXPECT_TRUE(p.done());
  EXPECT_TRUE(*p.error);
}

TEST(task_owners, are_read_as_they_were_written) {
  const task_owner o{"a", 0xab, 1'795'000'000'123, "i 3 4"};
  EXPECT_EQ(written(o), "00000000000000ab 1795000000123 i 3 4");
  const auto read = read_owner("a", written(o));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->owner, o.owner);
  EXPECT_EQ(read->minted, o.minted);
  EXPECT_EQ(read->session, o.session);
  for (const auto* text :
       {"", "ab 1 i", "00000000000000ag 1 i", "00000000000000ab", "00000000000000ab x i",
        "00000000000000ab 1", "00000000000000ab 99999999999999999999 i", "-0000000000000ab 1 i"})
    EXPECT_FALSE(read_owner("a", text)) << text;
}

TEST(task_owners, are_read_from_answers_only) {
  const auto owned = [](std::string_view text) { return read_owned(resp::parse(text)->root()); };
  EXPECT_FALSE(owned(":1\r\n")->other);
  EXPECT_EQ(owned("$16\r\n00000000000000ab\r\n")->other, 0xabU);
  for (const auto* text : {":0\r\n", "$2\r\nab\r\n", "*0\r\n", "_\r\n"})
    EXPECT_FALSE(owned(text)) << text;
  EXPECT_TRUE(read_owners(resp::parse("*0\r\n")->root())->empty());
  EXPECT_FALSE(read_owners(resp::parse("*2\r\n$1\r\na\r\n:1\r\n")->root()));
}

}  // namespace
}  // namespace gate::fleet
