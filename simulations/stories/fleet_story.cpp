#include "simulations/stories/fleet_story.hpp"
#include "simulations/stories/fleet.hpp"

#include "simulations/world/guarded_world.hpp"
#include "simulations/world/shared_scripts.hpp"

namespace gate::fleet_churn {

using namespace sim;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view its_resource = R"({"uri":"x://good","name":"one"})";

reply of_a_call(const sight& s) {
  auto r = reply::result(R"({"content":[],"name":)" + s.param("name") + '}');
  if (s.param("arguments").find("long") == std::string::npos) return r;
  // It says something now and then, and answers on the same stream.
  const auto say = [](std::string text, std::chrono::milliseconds after, bool last) {
    return reply{.after = after, .events = {std::move(text)}, .open = !last};
  };
  const auto notice = [&](std::size_t n) {
    return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":)"
           R"({"call":)" +
           std::to_string(churn::number_in(s.param("name"))) + R"(,"n":)" + std::to_string(n) +
           "}}}";
  };
  auto streamed = say(notice(0), long_call_notices[0], false);
  for (std::size_t n = 1; n < long_call_notices.size(); ++n)
    streamed.later.push_back(std::make_shared<reply>(say(notice(n), long_call_notices[n], false)));
  streamed.later.push_back(std::make_shared<reply>(say(r.body, long_call, true)));
  return streamed;
}

/// The provider takes a caller's token for one of what `own` takes.
reply of_an_exchange(const sight& s, bool shares) {
  for (const auto* who : {"alice", "bob", "carol"})
    if (s.body.find(token_of(who)) != std::string::npos)
      return reply::http(200, R"({"access_token":")" + credential_of(shares ? "alice" : who) +
                                  R"(","token_type":"Bearer","expires_in":100000})");
  return reply::http(400, R"({"error":"invalid_request"})");
}

reply a_slow_call(const sight& s) {
  auto r = of_a_call(s);
  r.after = sick_takes;
  return r;
}

/// Everybody's business, whoever asks.
reply of_a_task(const sight& s) {
  return reply::result(R"({"taskId":)" + s.param("taskId") + R"(,"status":"working"})");
}

reply a_task_of(const sight& s) {
  std::string name;
  json::unquote(s.param("name"), name);
  return reply::result(R"({"task":{"taskId":"task-)" + name + R"(","status":"working"}})");
}

}  // namespace

story::story(scenario s, bool turns) : scenario_(std::move(s)) {
  if (turns) stage_.record_turns();
  evidence_.began = stage_.now();
  const auto start_of_day = std::chrono::seconds(world_start()) + scenario_.begins;
  evidence_.store_clock = start_of_day + scenario_.store_ahead;
  teach_scripts(*store_, evidence_.store_clock - std::chrono::floor<std::chrono::milliseconds>(
                                                     stage_.now().time_since_epoch()));
  let_the_canary_in();
  for (std::size_t place = 0; place < places; ++place) start(place);
  stage_.advance(1s);
  visitors_.resize(visitors);
}

void story::prepare(fake_network& net) {
  for (const auto* id : {"good", "lim", "pen", "sick", "job", "own"}) {
    auto& host = *net.at(id);
    host.version = "2025-11-25";
    host.capabilities = R"({"tools":{"listChanged":true},"resources":{"subscribe":true},)"
                        R"("logging":{},"tasks":{"requests":{"tools":{"call":{}}}}})";
    host.always("tools/call", of_a_call);
  }
  net.at("good")->resources = {std::string(its_resource)};
  net.at("job")->always("tools/call", a_task_of);
  net.at("job")->always("tasks/get", of_a_task);
  net.at("sick")->always("tools/call", a_slow_call);
  net.at("own")->tools = {R"({"name":"echo","inputSchema":{"type":"object"}})"};
  net.at("idp")->always("GET", reply::http(200, published_keys()));
  net.at("idp")->always("not JSON-RPC", [shares = scenario_.bird == canary::shares_credential](
                                            const sight& s) { return of_an_exchange(s, shares); });
}

void story::keep_samples() {
  stage_.watch_time([this] {
    auto* s = stories::next_sample(evidence_.samples, stage_.now() - evidence_.began);
    if (s == nullptr) return;
    for (const auto life : living()) stories::add_to(*s, stage_.lives[life]->exposition());
  });
}

void story::tell() {
  stage_.shuffle(scenario_.seed);
  stage_.hold(true);
  for (std::size_t i = 0; i < scenario_.operations.size(); ++i) {
    if (i == scenario_.operations.size() / 2) provoke_the_canary();
    const auto& o = scenario_.operations[i];
    note(to_string(o));
    run(o);
    feed_the_canary();
    look_around();
    note_log();
  }
  stage_.hold(false);
  stage_.settle();
  look_around();
  heal();
  go();
  stop_all();
  evidence_.ended = stage_.now();
  evidence_.log = heard_log::log();
  for (const auto& [host, upstream] : *net_) {
    evidence_.seen[host] = upstream->seen();
    for (const auto& s : upstream->seen())
      if (const auto home = stage_.household_of(s->asker.id()))
        evidence_.asked_by[s.get()] = home - 1;
  }
}

void story::run(const operation& o) {
  switch (o.what) {
    case act::announce:
      return net_->at("good")->announce(
          R"({"jsonrpc":"2.0","method":"notifications/resources/updated",)"
          R"("params":{"uri":"x://good"}})");
    case act::trouble: {
      using what = store_link::trouble;
      constexpr std::array all{what::cut, what::swallows, what::keeps, what::stalls};
      return trouble(o.a % places, all[o.b % all.size()]);
    }
    case act::mend:
      return mend(o.a % places);
    case act::store_goes:
      return store_goes();
    case act::store_comes:
      return store_comes(o.a % 2);
    case act::restart:
      store_goes();
      return store_comes(o.a % 2);
    case act::kill:
      return kill(o.a % places);
    case act::start:
      return start(o.a % places);
    case act::sicken:
      return net_->at("sick")->always("tools/call", [this](const sight& s) {
        evidence_.failed.insert(&s);
        return reply{.after = sick_takes, .status = 500, .body = "{}"};
      });
    case act::cure:
      return net_->at("sick")->always("tools/call", a_slow_call);
    case act::wait:
      return pass(std::chrono::milliseconds(o.a));
    case act::steps:
      for (auto n = o.a; n > 0; --n) stage_.step();
      return;
    case act::settle:
      return stage_.settle();
    case act::rush:
      return rush(o.b);
    default:
      return ask(o);
  }
}

/// Time passes, with a look around every second.
void story::pass(std::chrono::milliseconds time) {
  stage_.hold(false);
  for (auto left = time; left > 0ms; left -= 1s) {
    stage_.advance(std::min<std::chrono::milliseconds>(left, 1s));
    feed_the_canary();
    look_around();
  }
  stage_.hold(true);
}

void story::look_around() {
  std::erase_if(open_, [&](std::size_t i) {
    auto& r = evidence_.requests[i];
    const bool done = r.receipt->done() || r.receipt->streaming;
    if (done) r.answered = stage_.now();
    return done;
  });
  end_alones();
}

std::int64_t story::wall_seconds() const {
  const auto into = const_cast<fleet_stage&>(stage_).now() - evidence_.began;
  return world_start() + std::chrono::floor<std::chrono::seconds>(into + scenario_.begins).count();
}

// --- the trace ----------------------------------------------------------------------------------

void story::note(const std::string& line) {
  diary_.note(stage_.now() - evidence_.began, line);
}

std::string story::trace() const {
  std::string out = diary_.text();
  for (const auto& r : evidence_.requests) {
    const auto ms = [&](time_point t) {
      return std::to_string(
          std::chrono::duration_cast<std::chrono::milliseconds>(t - evidence_.began).count());
    };
    out += std::to_string(r.number) + ": kind " + std::to_string(static_cast<int>(r.what)) +
           ", visitor " + std::to_string(r.visitor) + ", life " + std::to_string(r.life) + ' ' +
           r.upstream + ' ' + r.about + ", at " + ms(r.sent) +
           (r.answered == time_point{} ? ", open" : ", until " + ms(r.answered)) + ": " +
           std::to_string(r.receipt->status) + ' ' +
           (r.what == request::kind::token ? "" : r.receipt->last()) + '\n';
  }
  for (const auto& l : evidence_.lives)
    for (const auto& line : l.audit) out += line + '\n';
  return out + stage_.turns();
}

}  // namespace gate::fleet_churn
