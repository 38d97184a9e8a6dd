#include "simulations/world/simulated_child.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/json/scan.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto undead_for = 8s;

std::string text_of(std::string_view raw) {
  std::string out;
  return json::unquote(raw, out) ? out : std::string{};
}

std::string notification(std::string_view method, const std::string& params) {
  return jsonrpc::request({}, method, params);
}

std::string shout(const std::string& mark) {
  return notification("notifications/message", R"({"level":"info","data":")" + mark + "\"}");
}

}  // namespace

simulated_child::simulated_child(caf::actor_config& cfg, child_life_ptr life, child_user user,
                                 std::shared_ptr<child_faults> faults)
    : simulated_child_handle::base(cfg),
      life_(std::move(life)),
      user_(std::move(user)),
      faults_(std::move(faults)) {
  life_->asked = clock().now();
  life_->user = user_.id();
}

simulated_child::behavior_type simulated_child::make_behavior() {
  itself_ = ctrl();
  monitor(user_);
  set_down_handler([this](const caf::down_msg&) {
    life_->orphaned = true;
    if (life_->manner.ends != child_manner::end::never) vanish();
  });
  later(life_->manner.start_takes, [this] { begin(); });
  return {
      [this](child_line& m) {
        if (life_->input_closed.time_since_epoch().count() != 0)
          life_->misuse.emplace_back("a line after its input was closed");
        if (!m.text.ends_with('\n')) life_->misuse.emplace_back("a line without LF");
        later(life_->manner.reading_takes, [this, text = std::move(m.text)] { hear(text); });
      },
      [this](child_read_on) {
        if (read_) life_->misuse.emplace_back("read on, while it is read");
        read_ = true;
        speak();
      },
      [this](close_child_input) {
        life_->input_closed = clock().now();
        if (faults_->kills_early)
          for (const auto how : {signal_child::how::terminate, signal_child::how::kill})
            on_signal({how});
        if (life_->manner.ends == child_manner::end::polite) exit(0, false);
      },
      [this](const signal_child& m) { on_signal(m.what); },
      [](child_next& m) { m.what(); },
  };
}

void simulated_child::on_exit() {
  itself_ = nullptr;
  user_ = nullptr;
  out_.clear();
}

void simulated_child::later(std::chrono::milliseconds time, std::function<void()> what) {
  if (time.count() == 0) return send(this, child_next{std::move(what)});
  delayed_send(this, time, child_next{std::move(what)});
}

void simulated_child::begin() {
  if (ended_) return;
  switch (life_->manner.starts) {
    case child_manner::start::never:
      return;
    case child_manner::start::fails:
      send(user_, child_failed{"there is no such program"});
      life_->gone = clock().now();
      return quit();
    case child_manner::start::well:
      break;
  }
  life_->started = clock().now();
  send(user_, child_started{caf::actor_cast<child_handle>(this), 4711});
}

void simulated_child::hear(const std::string& line) {
  if (ended_) return;
  send(user_, child_took{line.size(), deaf_});
  if (deaf_ || is_mixed_up(line)) return;
  life_->heard.push_back(line.substr(0, line.size() - 1));
  if (const auto m = jsonrpc::read(life_->heard.back())) obey(*m);
}

/// One call of another session is written to the child that was called before.
bool simulated_child::is_mixed_up(const std::string& line) {
  if (!faults_->mixes_up || line.find("tools/call") == line.npos) return false;
  const auto before = std::exchange(faults_->last_called, address());
  const auto other = caf::actor_cast<caf::strong_actor_ptr>(before);
  if (!other || before == address()) return false;
  faults_->mixes_up = false;
  anon_send(caf::actor_cast<simulated_child_handle>(other), child_line{line});
  return true;
}

void simulated_child::obey(const jsonrpc::message& m) {
  const auto id = std::string(m.id);
  if (m.method == "initialize")
    return later(life_->manner.greeting_takes, [this, id] {
      say({R"({"jsonrpc":"2.0","id":)" + id +
           R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{},)"
           R"("serverInfo":{"name":"simulated","version":"1"}}})"});
    });
  if (m.method == "ping") return say({R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})"});
  if (m.method == "tools/call") obey_call(m);
}

void simulated_child::obey_call(const jsonrpc::message& m) {
  const auto arguments = json::member(m.params, "arguments");
  const auto what = text_of(json::member(arguments, "do"));
  const auto mark = text_of(json::member(arguments, "mark"));
  const auto id = std::string(m.id);
  const std::chrono::milliseconds takes{
      std::stoul("0" + std::string(json::member(arguments, "ms")))};
  if (faults_->eats_a_line && ++faults_->calls % 8 == 0) return;
  if (what == "silent") return;
  if (what == "closes") {
    out_closed_ = true;
    return say({}, 0, true);
  }
  if (what == "deaf") {
    deaf_ = true;
    return send(user_, child_took{1, true});
  }
  if (what == "dies") {
    if (takes.count() % 2 == 1) answer(id, mark);
    return later(takes, [this] { exit(1, false); });
  }
  if (what == "broken")
    return say({R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"a":)" + "\x01}}"});
  if (what == "garbage") say({"Listening on stdio", "", "{\"half\":", std::string(300, '\xff')});
  if (what == "huge") say({}, 1);
  if (what == "shouts") say({shout(mark)});
  if (what == "stranger") answer("987654", mark);
  if (what == "asks")
    say({R"({"jsonrpc":"2.0","id":"q-)" + mark + R"(","method":"ping","params":{"mark":")" + mark +
         "\"}}"});
  if (what == "talks")
    for (const auto* far : {"1", "2", "3"})
      say({notification(
          "notifications/progress",
          R"({"progressToken":)" +
              std::string(json::member(json::member(m.params, "_meta"), "progressToken")) +
              R"(,"progress":)" + far + R"(,"message":")" + mark + "\"}")});
  later(takes + faults_->late, [this, id, mark, again = what == "twice"] {
    answer(id, mark);
    if (again) answer(id, mark);
  });
}

void simulated_child::answer(const std::string& id, const std::string& mark) {
  const auto before = std::exchange(faults_->last_mark, mark);
  const auto& shown = faults_->crosses_marks && !before.empty() ? before : mark;
  say({R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[], "mark":")" + shown + "\"}}"});
}

void simulated_child::say(std::vector<std::string> lines, std::size_t too_long, bool last) {
  if (ended_ || (out_closed_ && !last)) return;
  out_.push_back({std::move(lines), too_long, last});
  speak();
}

void simulated_child::speak() {
  if (!read_ || out_.empty()) return;
  read_ = false;
  send(user_, std::move(out_.front()));
  out_.pop_front();
}

void simulated_child::on_signal(signal_child::how what) {
  using end = child_manner::end;
  if (what == signal_child::how::terminate) {
    life_->terminated = clock().now();
    if (life_->manner.ends <= end::stubborn) exit(15, true);
    return;
  }
  life_->killed = clock().now();
  if (life_->started.time_since_epoch().count() == 0) {
    ended_ = true;
    send(user_, child_failed{"it was killed before it was started"});
    life_->gone = clock().now();
    return quit();
  }
  if (life_->manner.ends == end::never) return;
  if (life_->manner.ends == end::undead) return later(undead_for, [this] { exit(9, true); });
  exit(9, true);
}

/// What it said before stays in the pipe for who reads on.
void simulated_child::exit(int status, bool by_signal) {
  if (std::exchange(ended_, true)) return;
  life_->exited = clock().now();
  send(user_, child_exited{status, by_signal});
  later(10ms, [this] { vanish(); });
}

void simulated_child::vanish() {
  ended_ = true;
  life_->gone = clock().now();
  // Its pipe is read to its end, whether somebody asks for that or not.
  child_spoke rest;
  rest.last = true;
  for (auto& said : std::exchange(out_, {})) {
    std::ranges::move(said.lines, std::back_inserter(rest.lines));
    rest.too_long += said.too_long;
  }
  if (!life_->orphaned) send(user_, std::move(rest));
  if (!faults_->hides_its_end) send(user_, child_gone{});
  quit();
}

}  // namespace gate::sim
