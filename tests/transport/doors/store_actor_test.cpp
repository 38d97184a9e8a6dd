// STORE over real connections: transport/doors/store, transport/store/client, transport/store/line.
// The server is the test: it reads commands and says what a Redis server would, byte by byte.
#include "transport/doors/store_actor.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>

#include "protocol/resp/writer.hpp"
#include "tests/support/resp_text.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/log.hpp"

namespace gate::testing {
namespace {

using namespace std::chrono_literals;

std::string command(std::initializer_list<std::string_view> words) {
  std::string out;
  resp::add_command(out, words);
  return out;
}

constexpr std::string_view hello = "%2\r\n+proto\r\n:3\r\n+role\r\n+master\r\n";

/// Asks, watches and listens; what it is told waits for the test.
class store_user final : public store_asker::extend_with<store_listener>::base {
 public:
  struct post {
    inbox<store_told> told;
    inbox<store_heard> heard;
    inbox<bool> turned, anew;
  };
  store_user(caf::actor_config& cfg, post* to)
      : store_asker::extend_with<store_listener>::base(cfg), to_(to) {}
  behavior_type make_behavior() override {
    return {[this](const store_told& m) { to_->told.put(m); },
            [this](const store_turned& m) {
              to_->turned.put(m.here);
              to_->anew.put(m.anew);
            },
            [this](const store_heard& m) { to_->heard.put(m); }};
  }

 private:
  post* to_;
};

/// A world with a store; its first connection has shaken hands.
class a_store : public ::testing::Test {
 protected:
  void begin(bool resp3 = true, const std::string& credentials = {}) {
    resp3_ = resp3;
    auto first = std::async(std::launch::async, [this, credentials] {
      auto p = server.accept();
      greet(p, credentials);
      return p;
    });
    start(credentials);
    line = first.get();
  }
  void start(const std::string& credentials) {
    w.emplace(1, 1024 * 1024, [&](runtime::options& o) {
      const auto url = "redis://" + credentials + "127.0.0.1:" + std::to_string(server.port());
      o.store = make_shared_store(resp::parse_store_url(url).value(), counted);
    });
    user = w->system().spawn<store_user>(&post);
  }
  void greet(peer& p, const std::string& credentials = {}) {
    shake_hands(p, credentials);
    tell_life(p);
  }
  /// When all channels are listened to it is asked whether its data is what it was.
  static void tell_life(peer& p, std::string_view life = "one") {
    p.read_until(command({"GET", "gate:{fleet}:life"}));
    p.send("_\r\n+" + std::string(life) + "\r\n");
  }
  void shake_hands(peer& p, const std::string& credentials = {}) {
    if (!resp3_) {
      p.read_until("HELLO\r\n$1\r\n3\r\n");
      p.send("-ERR unknown command\r\n");
    } else if (credentials.empty()) {
      p.read_until(command({"HELLO", "3"}));
      p.send(hello);
    } else {
      p.read_until("$6\r\ns3cret\r\n");
      p.send(hello);
    }
    p.read_until(command({"PING"}));
    p.send("+PONG\r\n");
  }
  void TearDown() override {
    user = nullptr;
    w.reset();
  }

  void ask(std::uint64_t id, std::vector<std::string> words, resp::script_ptr script = {},
           std::vector<std::string> keys = {}) {
    store_request r;
    r.id = id;
    r.op = store_op::once;
    r.script = std::move(script);
    r.keys = std::move(keys);
    r.words = std::move(words);
    caf::anon_send(w->doors().store, ask_store{std::move(r), user});
  }
  std::string expect_command(std::initializer_list<std::string_view> words) {
    const auto wanted = command(words);
    return line.read_until(wanted);
  }
  /// What it is told next, as text.
  std::string told() {
    const auto t = post.told.wait();
    return std::to_string(t.id) + ' ' + std::string(to_string(t.outcome)) +
           (t.reply ? ' ' + resp::shown(t.reply->root()) : "");
  }
  void listen(std::vector<std::string> channels) {
    caf::anon_send(w->doors().store, listen_to_store{std::move(channels), user});
  }
  static std::string confirmed(std::string_view channel, char kind = '>') {
    return kind + ("3\r\n+subscribe\r\n+" + std::string(channel)) + "\r\n:1\r\n";
  }

  listener server;
  std::shared_ptr<metrics> counted = std::make_shared<metrics>();
  store_user::post post;
  std::optional<real_world> w;
  peer line;
  caf::typed_actor<caf::reacts_to<store_told>, caf::reacts_to<store_turned>,
                   caf::reacts_to<store_heard>>
      user;
  bool resp3_ = true;
};

TEST_F(a_store, what_is_asked_in_one_turn_leaves_in_one_write) {
  begin();
  w->on_unit([&] {
    for (std::uint64_t id = 1; id <= 3; ++id) ask(id, {"GET", std::to_string(id)});
  });
  const auto all = command({"GET", "1"}) + command({"GET", "2"}) + command({"GET", "3"});
  std::string got(1000, '\0');
  const auto n = ::recv(line.fd(), got.data(), got.size(), 0);
  ASSERT_GT(n, 0);
  EXPECT_EQ(got.substr(0, static_cast<std::size_t>(n)), all);
  line.send("$1\r\na\r\n$-1\r\n-ERR no\r\n");
  EXPECT_EQ(told(), "1 ok 'a'");
  EXPECT_EQ(told(), "2 ok null");
  EXPECT_EQ(told(), "3 error !'ERR no'");
}

TEST_F(a_store, refusals_have_outcomes_of_their_own) {
  begin();
  const std::vector<std::pair<std::string, std::string>> all{
      {"-OOM command not allowed", "oom"},
      {"-LOADING Redis is loading", "loading"},
      {"-NOPERM no", "error"},
      {"-MISCONF disk", "error"},
      {"+OK", "ok"}};
  std::uint64_t id = 0;
  for (const auto& [said, outcome] : all) {
    ask(++id, {"SET", "k", "v"});
    expect_command({"SET", "k", "v"});
    line.send(said + "\r\n");
    EXPECT_EQ(to_string(post.told.wait().outcome), outcome) << said;
  }
  // A replica is none for us: the connection is given up, and the name is looked up again.
  ask(++id, {"SET", "k", "v"});
  expect_command({"SET", "k", "v"});
  line.send("-READONLY You can't write against a read only replica.\r\n");
  EXPECT_EQ(post.told.wait().outcome, store_outcome::read_only);
  EXPECT_TRUE(line.ended());
  line = server.accept();
  greet(line);
}

TEST_F(a_store, scripts_go_as_a_whole_first_and_then_by_their_digest) {
  begin();
  const auto script = resp::make_script("return ARGV[1]");
  const auto other = resp::make_script("return 2");
  ask(1, {"x"}, script, {"{k}"});
  expect_command({"EVAL", script->text, "1", "{k}", "x"});
  line.send("$1\r\nx\r\n");
  EXPECT_EQ(told(), "1 ok 'x'");
  ask(2, {}, other);
  expect_command({"EVAL", other->text, "0"});
  line.send(":2\r\n");
  EXPECT_EQ(told(), "2 ok 2");
  ask(3, {"y"}, script, {"{k}"});
  expect_command({"EVALSHA", script->digest, "1", "{k}", "y"});
  line.send("-NOSCRIPT something that differs\r\n");
  expect_command({"EVAL", script->text, "1", "{k}", "y"});
  line.send("-NOSCRIPT again\r\n");
  EXPECT_EQ(told(), "3 error !'NOSCRIPT again'");
  // Who has forgotten one has forgotten all.
  ask(4, {}, other);
  expect_command({"EVAL", other->text, "0"});
}

// Another connection leads to another store, for all that is known: one that knows the second
// script and not the first would do what was asked last first.
TEST_F(a_store, scripts_are_done_in_the_order_in_which_they_are_asked_behind_a_restart) {
  begin();
  const auto first = resp::make_script("return 1"), then = resp::make_script("return 2");
  for (std::uint64_t id = 1; id <= 2; ++id) {
    ask(id, {}, first);
    expect_command({id == 1 ? "EVAL" : "EVALSHA", id == 1 ? first->text : first->digest, "0"});
    line.send(":1\r\n");
    EXPECT_EQ(told(), std::to_string(id) + " ok 1");
  }
  caf::anon_send(w->doors().store, watch_store{user});
  EXPECT_TRUE(post.turned.wait());
  line = {};
  EXPECT_FALSE(post.turned.wait());
  line = server.accept();
  greet(line);
  EXPECT_TRUE(post.turned.wait());
  w->on_unit([&] {
    ask(3, {}, first);
    ask(4, {}, then);
  });
  EXPECT_EQ(expect_command({"EVAL", then->text, "0"}),
            command({"EVAL", first->text, "0"}) + command({"EVAL", then->text, "0"}));
}

TEST_F(a_store, that_falls_silent_is_away_after_three) {
  begin();
  caf::anon_send(w->doors().store, watch_store{user});
  EXPECT_TRUE(post.turned.wait());
  const auto began = std::chrono::steady_clock::now();
  ask(1, {"GET", "1"});
  EXPECT_EQ(told(), "1 timeout");
  EXPECT_GE(std::chrono::steady_clock::now() - began, 500ms);
  expect_command({"GET", "1"});
  line.send("+late\r\n");  // nobody is told
  ask(2, {"GET", "2"});
  expect_command({"GET", "2"});
  line.send("+two\r\n");
  EXPECT_EQ(told(), "2 ok 'two'") << "which ends the row";
  w->on_unit([&] {
    for (std::uint64_t id = 3; id <= 5; ++id) ask(id, {"GET", std::to_string(id)});
  });
  std::vector<std::string> last{told(), told(), told()};
  EXPECT_EQ(last, (std::vector<std::string>{"3 timeout", "4 timeout", "5 timeout"}));
  EXPECT_FALSE(post.turned.wait());
  ask(6, {"GET", "6"});
  EXPECT_EQ(told(), "6 away") << "at once";
  line.read_to_end();
  line = server.accept();
  greet(line);
  EXPECT_TRUE(post.turned.wait());
  ask(7, {"GET", "7"});
  expect_command({"GET", "7"});
  line.send("+seven\r\n");
  EXPECT_EQ(told(), "7 ok 'seven'");
}

TEST_F(a_store, everybody_who_waits_is_told_when_it_is_lost) {
  begin();
  w->on_unit([&] {
    for (std::uint64_t id = 1; id <= 3; ++id) ask(id, {"GET", std::to_string(id)});
  });
  expect_command({"GET", "3"});
  line.send("+one\r\n");
  EXPECT_EQ(told(), "1 ok 'one'");
  line.close();
  EXPECT_EQ(told(), "2 lost");
  EXPECT_EQ(told(), "3 lost");
}

TEST_F(a_store, that_speaks_nonsense_is_given_up) {
  begin();
  ask(1, {"GET", "1"});
  expect_command({"GET", "1"});
  line.send("nonsense\r\n");
  EXPECT_EQ(told(), "1 lost");
  EXPECT_TRUE(line.ended());
  line = server.accept();
  greet(line);
  line.send("+nobody asked\r\n");
  EXPECT_TRUE(line.ended());
}

TEST_F(a_store, takes_no_more_than_its_bounds) {
  begin();
  w->on_unit([&] {
    for (std::uint64_t id = 1; id <= limits::store_queue + 1; ++id) ask(id, {"GET", "x"});
  });
  EXPECT_EQ(told(), std::to_string(limits::store_queue + 1) + " overloaded");
  line.close();
  for (std::size_t i = 0; i < limits::store_queue; ++i)
    ASSERT_EQ(post.told.wait().outcome, store_outcome::lost);
}

TEST_F(a_store, tells_what_is_published_and_that_it_may_have_missed_some) {
  begin();
  listen({"news", "more"});
  expect_command({"SUBSCRIBE", "news"});
  line.send(confirmed("news"));
  expect_command({"SUBSCRIBE", "more"});
  ask(1, {"GET", "1"});
  expect_command({"GET", "1"});
  EXPECT_TRUE(post.turned.empty()) << "not yet";
  line.send(confirmed("more") + ">3\r\n+message\r\n+more\r\n$5\r\nhello\r\n+one\r\n");
  EXPECT_TRUE(post.turned.wait());
  const auto heard = post.heard.wait();
  EXPECT_EQ(heard.channel + ' ' + heard.text, "more hello");
  EXPECT_EQ(told(), "1 ok 'one'") << "on the same connection";
  ask(2, {"PUBLISH", "news", "from here"});
  expect_command({"PUBLISH", "news", "from here"});
  line.send(":1\r\n");
  EXPECT_EQ(told(), "2 ok 1");
  line.close();
  EXPECT_FALSE(post.turned.wait());
  line = server.accept();
  shake_hands(line);
  EXPECT_TRUE(post.turned.empty()) << "it is not here before it tells again";
  expect_command({"SUBSCRIBE", "more"});
  expect_command({"SUBSCRIBE", "news"});
  line.send(confirmed("more") + confirmed("news"));
  tell_life(line);
  EXPECT_TRUE(post.turned.wait());
}

TEST_F(a_store, hears_until_nobody_listens) {
  begin();
  listen({"a"});
  expect_command({"SUBSCRIBE", "a"});
  line.send(confirmed("a"));
  EXPECT_TRUE(post.turned.wait());
  caf::anon_send(w->doors().store, unlisten_store{{"a", "unknown"}, user});
  expect_command({"UNSUBSCRIBE", "a"});
  line.send(">3\r\n+unsubscribe\r\n+a\r\n:0\r\n");
  listen({"b"});
  expect_command({"SUBSCRIBE", "b"});
  line.send(confirmed("b"));
  EXPECT_TRUE(post.turned.wait());
  caf::anon_send_exit(user, caf::exit_reason::kill);
  user = nullptr;
  expect_command({"UNSUBSCRIBE", "b"});
}

TEST_F(a_store, that_does_not_let_us_listen_is_there_all_the_same) {
  begin();
  listen({"a"});
  expect_command({"SUBSCRIBE", "a"});
  line.send("-NOPERM this user has no permissions\r\n");
  EXPECT_TRUE(post.turned.wait());
  ask(1, {"GET", "1"});
  expect_command({"GET", "1"});
  line.send("_\r\n");
  EXPECT_EQ(told(), "1 ok null");
}

TEST_F(a_store, of_resp2_is_listened_to_on_a_second_connection) {
  begin(false);
  listen({"a"});
  auto news = server.accept();
  news.read_until(command({"PING"}));
  news.send("+PONG\r\n");
  news.read_until(command({"SUBSCRIBE", "a"}));
  news.send(confirmed("a", '*'));
  EXPECT_TRUE(post.turned.wait());
  news.send("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n");
  EXPECT_EQ(post.heard.wait().text, "hi");
  ask(1, {"LRANGE", "l", "0", "-1"});
  expect_command({"LRANGE", "l", "0", "-1"});
  line.send("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n");
  EXPECT_EQ(told(), "1 ok ['message' 'a' 'hi']") << "an answer, whatever it looks like";
  news.close();
  EXPECT_FALSE(post.turned.wait());
  EXPECT_TRUE(line.ended()) << "both belong together";
  line = server.accept();
  shake_hands(line);
  news = server.accept();
  news.read_until(command({"PING"}));
  news.send("+PONG\r\n");
  news.read_until(command({"SUBSCRIBE", "a"}));
  news.send(confirmed("a", '*'));
  tell_life(line);
  EXPECT_TRUE(post.turned.wait());
}

TEST_F(a_store, that_loads_its_data_is_waited_for) {
  auto first = std::async(std::launch::async, [this] {
    auto p = server.accept();
    p.read_until(command({"HELLO", "3"}));
    p.send(hello);
    p.read_until(command({"PING"}));
    p.send("-LOADING Redis is loading the dataset in memory\r\n");
    EXPECT_TRUE(p.ended());
    p = server.accept();
    greet(p);
    return p;
  });
  start({});
  line = first.get();
  ask(1, {"GET", "1"});
  expect_command({"GET", "1"});
  line.send("_\r\n");
  EXPECT_EQ(told(), "1 ok null");
}

TEST_F(a_store, says_when_it_has_lost_what_it_had) {
  begin();
  caf::anon_send(w->doors().store, watch_store{user});
  EXPECT_TRUE(post.turned.wait());
  EXPECT_FALSE(post.anew.wait());
  std::string known = "one";
  for (const std::string life : {"one", "two", "two", "three"}) {
    line.close();
    EXPECT_FALSE(post.turned.wait());
    EXPECT_FALSE(post.anew.wait());
    line = server.accept();
    shake_hands(line);
    const auto asked = line.read_until(command({"GET", "gate:{fleet}:life"}));
    EXPECT_NE(asked.find("$3\r\nSET\r\n$17\r\ngate:{fleet}:life\r\n"), asked.npos);
    EXPECT_NE(asked.find("$2\r\nNX\r\n"), asked.npos);
    ask(1, {"GET", "1"});
    EXPECT_TRUE(post.turned.empty()) << "not before that is known";
    line.send("+OK\r\n+" + life + "\r\n");
    EXPECT_TRUE(post.turned.wait());
    EXPECT_EQ(post.anew.wait(), life != std::exchange(known, life));
    expect_command({"GET", "1"});
    line.send("_\r\n");
    told();
  }
}

TEST_F(a_store, has_no_word_told_on_that_holds_the_password) {
  static std::string logged;
  logged.clear();
  log::redirect([](std::string_view text) { logged += text; });
  begin(true, ":s3cret@");
  ask(1, {"GET", "1"});
  expect_command({"GET", "1"});
  line.send("-ERR unknown command, with args s3cret\r\n");
  told();
  TearDown();
  log::redirect(nullptr);
  EXPECT_NE(logged.find("(not shown)"), logged.npos) << logged;
  EXPECT_EQ(logged.find("s3cret"), logged.npos) << logged;
}

TEST_F(a_store, is_counted) {
  begin();
  ask(1, {"GET", "1"});
  expect_command({"GET", "1"});
  line.send("_\r\n");
  told();
  const auto text = counted->expose();
  EXPECT_NE(text.find("gate_store_up 1"), text.npos);
  EXPECT_NE(text.find(R"(gate_store_operations_total{op="once",outcome="ok"} 1)"), text.npos);
  EXPECT_NE(text.find("gate_store_duration_seconds_count 3"), text.npos) << "and of its life";
}

}  // namespace
}  // namespace gate::testing
