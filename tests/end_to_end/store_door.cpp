// STORE in front of a real server, by hand: takes lines on standard input and says on standard
// output what it is told, so that store.mjs can play with scripts, channels and outages.
//
//   store_door URL
//   ask WORD...            -> told OUTCOME VALUE
//   script KEY ARGUMENT    -> the same, of a script that gives both back
//   listen CHANNEL...      -> here, or away, each time that it turns
//   publish CHANNEL TEXT   -> heard CHANNEL TEXT, by who listens
#include <caf/all.hpp>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/resp_text.hpp"
#include "transport/metrics.hpp"
#include "transport/runtime.hpp"

namespace {

using namespace gate;

constexpr std::string_view both = "return {KEYS[1], ARGV[1]}";

void say(const std::string& line) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

using user_actor = store_asker::extend_with<store_listener>;

class user final : public user_actor::base {
 public:
  explicit user(caf::actor_config& cfg) : user_actor::base(cfg) {}
  behavior_type make_behavior() override {
    return {
        [](const store_told& m) {
          say("told " + std::string(to_string(m.outcome)) +
              (m.reply ? ' ' + resp::shown(m.reply->root()) : ""));
        },
        [](const store_turned& m) { say(m.here ? "here" : "away"); },
        [](const store_heard& m) { say("heard " + m.channel + ' ' + m.text); },
    };
  }
};

/// Says nothing of what becomes of it.
store_asker::behavior_type speaker() {
  return {[](const store_told&) {}};
}

void run(const store_handle& store, const user_actor& who, const store_asker& silent) {
  const auto script = resp::make_script(both);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (what == "ask") {
      caf::anon_send(store, ask_store{{1, store_op::ping, {}, {}, words}, who});
    } else if (what == "script") {
      caf::anon_send(store,
                     ask_store{{1, store_op::ping, script, {words.at(0)}, {words.at(1)}}, who});
    } else if (what == "listen") {
      caf::anon_send(store, listen_to_store{words, who});
    } else if (what == "publish") {
      words.insert(words.begin(), "PUBLISH");
      caf::anon_send(store, ask_store{{1, store_op::publish, {}, {}, words}, silent});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto url = resp::parse_store_url(argv[1]);
  if (!url) return 2;
  runtime::options o;
  o.listens = false;
  o.store = make_shared_store(*url, std::make_shared<metrics>());
  auto world = runtime::start(o);
  if (!world) {
    std::cerr << world.error().what << '\n';
    return 1;
  }
  const user_actor who = (*world)->system().spawn<user>();
  const store_asker silent = (*world)->system().spawn(speaker);
  say("started");
  run((*world)->units().front().store, who, silent);
  caf::anon_send_exit(who, caf::exit_reason::kill);
  caf::anon_send_exit(silent, caf::exit_reason::kill);
  return 0;
}
