#include "simulations/stories/hooks_story.hpp"

#include <algorithm>
#include <array>

#include "simulations/stories/hooks_checkers.hpp"

namespace gate::hook_churn {

using namespace sim;
using namespace std::chrono_literals;

namespace {

constexpr std::array hook_cast{"hooks",       "ledger", "dispatch",    "trials",      "upkeep",
                               "destination", "api",    "fake egress", "fake ingress"};

std::vector<std::string> all_hosts() {
  std::vector<std::string> out;
  out.reserve(hosts);
  for (std::size_t n = 0; n < hosts; ++n) out.push_back(host_named(n));
  return out;
}

/// As it should be, unless that is what is broken on purpose.
webhook::schedule schedule_for(canary bird) {
  if (bird == canary::hurries) return webhook::schedule::read("0,2,8,20").value();
  if (bird == canary::gives_up) return webhook::schedule::read("0,5").value();
  std::string text;
  for (const auto p : pauses) text += (text.empty() ? "" : ",") + std::to_string(p.count());
  return webhook::schedule::read(text).value();
}

hooks_options options_for(const scenario& s) {
  hooks_options o;
  o.seed = s.seed;
  o.organizations.assign(std::begin(organizations), std::end(organizations));
  o.hosts = all_hosts();
  o.schedule = schedule_for(s.bird);
  if (s.bird == canary::crowds) o.in_flight *= 2;
  if (s.bird == canary::dawdles) o.first_pause = 3s;
  return o;
}

}  // namespace

story::story(scenario s, bool turns)
    : scenario_(std::move(s)),
      world_(options_for(scenario_)),
      receivers_(world_, evidence_),
      turns_(turns) {
  if (turns_) world_.record_turns();
  receivers_.heal();
  world_.store().done = [this](const ledger::request& asked, const ledger::answer& said) {
    evidence_.deeds.push_back(
        {asked, said, world_.now(), std::chrono::floor<std::chrono::milliseconds>(world_.wall())});
    const auto* made = std::get_if<ledger::create_webhook>(&asked);
    if (made == nullptr || std::holds_alternative<ledger::refusal>(said)) return;
    const auto host = made->what.url.substr(std::string_view("https://").size());
    evidence_.host_of[made->what.id] = host.substr(0, host.find('.'));
  };
}

void story::keep_samples() {
  world_.watch_time(
      [this] { stories::next_sample(evidence_.samples, world_.now() - evidence_.began); });
}

void story::tell() {
  evidence_.began = world_.now();
  world_.start();
  world_.settle();
  world_.shuffle(scenario_.seed);
  world_.hold(true);
  for (std::size_t i = 0; i < scenario_.operations.size(); ++i) {
    if (i == scenario_.operations.size() / 2) let_the_canary_in();
    const auto& o = scenario_.operations[i];
    note(to_string(o));
    run(o);
    feed_the_canary();
    look_around();
    note_log();
  }
  heal();
  once_more();
  go();
  evidence_.ended = world_.now();
  evidence_.log = heard_log::log();
  for (std::size_t n = 0; n < hosts; ++n)
    evidence_.seen[host_named(n)] = world_.receiver(host_named(n)).seen();
}

void story::run(const operation& o) {
  switch (o.what) {
    case act::create:
      return create(o);
    case act::post:
      return post(o.a % std::size(organizations), o.b, 1);
    case act::batch:
      return post(o.a % std::size(organizations), o.b, 1 + o.b / 8 % 30);
    case act::again:
      return post_again(o.a);
    case act::retry_one:
      return retry_one(o.a);
    case act::look:
      return look(o);
    case act::health:
      call(request::kind::health, 0, verb::get, "/health");
      return;
    case act::vanish:
      return vanish(o.a);
    case act::sicken:
      return receivers_.sicken(good_hosts + o.a % (hosts - good_hosts), o.b % sicknesses);
    case act::cure:
      return receivers_.cure(good_hosts + o.a % (hosts - good_hosts));
    case act::wait:
      return pass(std::chrono::milliseconds(o.a));
    case act::steps:
      for (auto n = o.a; n > 0; --n) world_.step();
      return;
    case act::settle:
      return world_.settle();
    case act::rush:
      return rush(o.b);
    default:
      break;
  }
  if (o.what >= act::storage) return run_on_process(o);
  ask_for_hook(o);
}

void story::run_on_process(const operation& o) {
  switch (o.what) {
    case act::storage:
      return storage(o.a);
    case act::mend:
      return mend();
    case act::crash:
      return crash(o.a, o.b);
    case act::kill:
      return kill();
    case act::restart:
      return restart(std::chrono::milliseconds(o.a));
    case act::hang_up:
      return world_.hang_up();
    default:
      return jump(o.a);
  }
}

/// Time passes, with a look at the answers every second.
void story::pass(std::chrono::milliseconds time) {
  world_.hold(false);
  for (auto left = time; left > 0ms; left -= 1s) {
    world_.advance(std::min<std::chrono::milliseconds>(left, 1s));
    feed_the_canary();
    look_around();
  }
  world_.hold(true);
}

void story::look_around() {
  std::erase_if(open_, [&](std::size_t i) {
    auto& r = evidence_.requests[i];
    if (r.receipt->body_asked && r.receipt->unread) world_.bring_body(r.receipt);
    if (!r.receipt->done()) return false;
    r.left = r.left || (!r.receipt->alive && !r.vanished);  // the process ended it
    r.answered = world_.now();
    meet(i);
    return true;
  });
  if (storage_ill_) disturb(0ms);
}

/// Who has made a webhook knows its name from now on.
void story::meet(std::size_t i) {
  const auto& r = evidence_.requests[i];
  if (r.what != request::kind::create || r.receipt->status != 201) return;
  std::string id;
  json::unquote(json::member(r.receipt->body, "id"), id);
  const auto host = static_cast<std::size_t>(std::stoul(r.upstream.substr(1)));
  hooks_.push_back({id, std::string(organizations[r.visitor]), host, 0, false});
}

// --- the end ------------------------------------------------------------------------------------

void story::heal() {
  note("all is healed");
  world_.hold(false);
  world_.settle();
  if (!wants_canary(canary::stays_sick)) receivers_.heal();
  mend();
  if (!world_.runs()) world_.start();
  // What was due then is due now.
  set_clock(most_skew_);
  pass(20s);  // whoever crashed has come back
  for (std::size_t i = 0; i < hooks_.size(); ++i)
    if (!hooks_[i].removed) ask_for_hook({act::enable, static_cast<std::uint32_t>(i), 0});
  pass(scenario_.heals_within);
  note_log();
}

/// Every organization, an event of each type.
void story::once_more() {
  evidence_.healed = world_.now();
  healed_ = true;
  feed_the_canary();
  for (std::size_t o = 0; o < std::size(organizations); ++o)
    for (std::uint32_t type = 0; type < webhook::event_names.size(); ++type) post(o, type, 1);
  call(request::kind::health, 0, verb::get, "/health");
  pass(3s);
  evidence_.metrics = world_.exposition();
  auto& end = evidence_.end;
  end.actors = census();
  end.actors.erase("destination");
  pass(limits::webhook_rest * 2 + 5s);
  end.actors["destination"] = census()["destination"];
  auto& store = world_.store();
  store.done = nullptr;
  end.delivering = store.get<ledger::counts>(ledger::count_all{})
                       .deliveries[static_cast<std::size_t>(webhook::state::delivering)];
  for (const auto& [id, host] : evidence_.host_of)
    for (const auto organization : organizations) {
      std::optional<ledger::position> before;
      do {
        const auto page = store.perform(ledger::list_deliveries{
            std::string(organization), id, {}, before, limits::ledger_page});
        const auto* some = std::get_if<ledger::delivery_page>(&page);
        if (some == nullptr) break;
        end.deliveries.insert(end.deliveries.end(), some->deliveries.begin(),
                              some->deliveries.end());
        before = some->next;
      } while (before);
    }
}

void story::go() {
  note("the process ends");
  // What waits for the storage does not end.
  if (wants_canary(canary::keeps_actor))
    for (const auto& who : world_.cast("upkeep")) world_.make_stubborn(who);
  world_.stop();
  pass(limits::drain + 5s);
  auto& end = evidence_.end;
  end.stopped = world_.stopped();
  end.actors_after = census();
  world_.hold(false);
  world_.kill_process();  // the doors
  world_.advance(
      3h);  // (A timer of one that is dead may be set for when a wall clock that was set says.)
  end.timers_after = world_.timers();
  leave_open();
  note_log();
}

std::map<std::string, std::size_t> story::census() const {
  std::map<std::string, std::size_t> out;
  for (const auto* name : hook_cast) out[name] = world_.cast(name).size();
  return out;
}

// --- the trace ----------------------------------------------------------------------------------

void story::note(const std::string& line) {
  diary_.note(world_.now() - evidence_.began, line);
}

std::string story::trace() const {
  std::string out = diary_.text();
  const auto ms = [&](time_point t) {
    return std::to_string(
        std::chrono::duration_cast<std::chrono::milliseconds>(t - evidence_.began).count());
  };
  for (const auto& r : evidence_.requests)
    out += std::to_string(r.number) + ": " + std::string(word_of(r.what)) + ' ' +
           std::string(organizations[r.visitor]) + ' ' + r.upstream + ", at " + ms(r.sent) +
           (r.answered == time_point{} ? ", open" : ", until " + ms(r.answered)) + ": " +
           std::to_string(r.receipt->status) + ' ' + r.receipt->body + '\n';
  for (const auto& a : evidence_.arrivals)
    out += ms(a.what->at) + " ms  " + a.host + " gets " + a.event + " as attempt " +
           std::to_string(a.attempt) + " of " + a.delivery + ", and says " +
           std::to_string(a.code) + '\n';
  return out + world_.turns();
}

}  // namespace gate::hook_churn
