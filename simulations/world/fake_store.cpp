#include "simulations/world/fake_store.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view null = "_\r\n";
constexpr std::string_view ok = "+OK\r\n";

std::string bulk(std::string_view text) {
  return '$' + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}
std::string integer(std::int64_t n) {
  return ':' + std::to_string(n) + "\r\n";
}

std::int64_t number_of(std::string_view text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace

store_outcome outcome_of(const resp::value& v) {
  if (!v.is_error()) return store_outcome::ok;
  if (v.word() == "OOM") return store_outcome::oom;
  if (v.word() == "LOADING") return store_outcome::loading;
  if (v.word() == "READONLY") return store_outcome::read_only;
  // No store says so: its door does.
  if (v.word() == "OVERLOADED") return store_outcome::overloaded;
  return store_outcome::error;
}

// --- the server ----------------------------------------------------------------------------------

void fake_store::go() {
  if (!std::exchange(here_, false)) return;
  news_.clear();
  for (auto* door : doors_)
    if (!door->cut_off_) door->turn(false);
  for (auto* ear : ears_) ear->turn(false);
}

void fake_store::back() {
  if (std::exchange(here_, true)) return;
  for (auto* door : doors_)
    if (!door->cut_off_) door->turn(true);
  for (auto* ear : ears_) ear->turn(true);
}

void fake_store::cut_off(std::size_t door) {
  if (!std::exchange(doors_.at(door)->cut_off_, true) && here_) doors_[door]->turn(false);
}

void fake_store::let_in(std::size_t door) {
  if (std::exchange(doors_.at(door)->cut_off_, false) && here_) doors_[door]->turn(true);
}

void fake_store::fall_silent(bool does_it) {
  silent_ = true;
  does_it_ = does_it;
}

void fake_store::tell(std::size_t place) {
  auto what = std::move(news_.at(place));
  news_.erase(news_.begin() + static_cast<std::ptrdiff_t>(place));
  say(what);
}

void fake_store::say(const store_heard& what) {
  for (auto* door : doors_) door->hear(what);
  for (auto* ear : ears_) ear->hear(what);
}

std::size_t fake_store::listeners(const std::string& channel) const {
  const auto hears = [&](const auto* who) { return who->hears(channel); };
  return static_cast<std::size_t>(std::ranges::count_if(doors_, hears) +
                                  std::ranges::count_if(ears_, hears));
}

std::size_t fake_store::publish(store_heard what) {
  const auto heard = listeners(what.channel);
  if (muted_.contains(what.channel)) return heard;
  news_.push_back(std::move(what));
  if (!holds_) tell(news_.size() - 1);
  return heard;
}

void fake_store::teach(std::string_view text, script what) {
  scripts_[resp::make_script(text)->digest] = std::move(what);
}

const fake_store::script& fake_store::taught(std::string_view text) const {
  return scripts_.at(resp::make_script(text)->digest);
}

void fake_store::forget_old() {
  if (now_ < first_end_) return;
  first_end_ = time_point::max();
  std::erase_if(keys_, [this](const auto& k) {
    if (!k.second.until) return false;
    if (*k.second.until > now_) first_end_ = std::min(first_end_, *k.second.until);
    return *k.second.until <= now_;
  });
}

std::optional<std::string> fake_store::get(const std::string& key) {
  forget_old();
  const auto it = keys_.find(key);
  if (it == keys_.end()) return {};
  return it->second.value;
}

void fake_store::set(const std::string& key, std::string value,
                     std::optional<std::chrono::milliseconds> ttl) {
  auto& r = keys_[key];
  r.value = std::move(value);
  r.until = ttl ? std::optional(now_ + *ttl) : std::nullopt;
  if (r.until) first_end_ = std::min(first_end_, *r.until);
}

std::optional<std::chrono::milliseconds> fake_store::ttl(const std::string& key) {
  forget_old();
  const auto it = keys_.find(key);
  if (it == keys_.end() || !it->second.until) return {};
  return std::chrono::duration_cast<std::chrono::milliseconds>(*it->second.until - now_);
}

const std::map<std::string, std::string>* fake_store::fields(const std::string& key) {
  forget_old();
  const auto it = keys_.find(key);
  return it == keys_.end() ? nullptr : &it->second.fields;
}

void fake_store::set_field(const std::string& key, const std::string& field, std::string value) {
  keys_[key].fields[field] = std::move(value);
}

void fake_store::erase_field(const std::string& key, const std::string& field) {
  if (const auto it = keys_.find(key); it != keys_.end()) it->second.fields.erase(field);
}

void fake_store::expire(const std::string& key, std::chrono::milliseconds ttl) {
  const auto it = keys_.find(key);
  if (it == keys_.end()) return;
  it->second.until = now_ + ttl;
  first_end_ = std::min(first_end_, now_ + ttl);
}

std::size_t fake_store::size() {
  forget_old();
  return keys_.size();
}

fake_store::words fake_store::keys(std::string_view prefix) {
  words out;
  for (const auto& [key, r] : keys_)
    if (key.starts_with(prefix)) out.push_back(key);
  return out;
}

std::string fake_store::run(const store_request& what, time_point now) {
  now_ = now;
  forget_old();
  std::string line;
  for (const auto* part : {&what.keys, &what.words})
    for (const auto& word : *part) line += (line.empty() ? "" : " ") + word;
  seen_.push_back(line);
  if (!refusal_.empty()) return refusal_ + "\r\n";
  if (!what.script) return command(what.words);
  const auto it = scripts_.find(what.script->digest);
  if (it == scripts_.end()) return "-ERR nobody has taught this script\r\n";
  return it->second(*this, what.keys, what.words);
}

std::string fake_store::command(const words& w) {
  const auto& name = w.at(0);
  if (name == "PING") return "+PONG\r\n";
  if (name == "SET") return set_command(w);
  if (name == "GET") {
    const auto found = get(w.at(1));
    return found ? bulk(*found) : std::string(null);
  }
  if (name == "HGETALL") {
    const auto* all = fields(w.at(1));
    std::string out = '*' + std::to_string(all ? 2 * all->size() : 0) + "\r\n";
    if (all)
      for (const auto& [field, value] : *all) out += bulk(field) + bulk(value);
    return out;
  }
  if (name == "DEL") return integer(erase(w.at(1)) ? 1 : 0);
  if (name == "INCRBY") return add_command(w.at(1), number_of(w.at(2)));
  if (name == "PEXPIRE") {
    const auto found = get(w.at(1));
    if (found) set(w.at(1), *found, std::chrono::milliseconds(number_of(w.at(2))));
    return integer(found ? 1 : 0);
  }
  if (name == "PUBLISH") return integer(static_cast<std::int64_t>(publish({w.at(1), w.at(2)})));
  if (name == "HDEL") {
    erase_field(w.at(1), w.at(2));
    return integer(1);
  }
  return "-ERR unknown command\r\n";
}

/// SET key value [NX] [PX milliseconds]
std::string fake_store::set_command(const words& w) {
  bool only_new = false;
  std::optional<std::chrono::milliseconds> ttl;
  for (std::size_t i = 3; i < w.size(); ++i) {
    if (w[i] == "NX") only_new = true;
    if (w[i] == "PX") ttl = std::chrono::milliseconds(number_of(w.at(++i)));
  }
  if (ttl && *ttl <= 0ms) return "-ERR invalid expire time in 'set' command\r\n";
  if (only_new && get(w.at(1))) return std::string(null);
  set(w.at(1), w.at(2), ttl);
  return std::string(ok);
}

std::string fake_store::add_command(const std::string& key, std::int64_t by) {
  auto& r = keys_[key];
  const auto sum = number_of(r.value) + by;
  r.value = std::to_string(sum);
  return integer(sum);
}

// --- a door --------------------------------------------------------------------------------------

fake_store_door::fake_store_door(caf::actor_config& cfg, std::shared_ptr<fake_store> server)
    : store_handle::extend<caf::reacts_to<store_due>>::base(cfg),
      server_(std::move(server)),
      life_(server_->life_) {
  server_->doors_.push_back(this);
  set_down_handler([this](const caf::down_msg& m) {
    watchers_.erase(m.source.id());
    listeners_.erase(m.source.id());
  });
}

fake_store_door::behavior_type fake_store_door::make_behavior() {
  return {
      [this](const store_due& m) { (*m.what)(); },
      [this](const ask_store& m) { ask(m); },
      [this](const watch_store& m) {
        if (watchers_.emplace(m.who.id(), m.who).second) monitor(m.who);
        send(m.who, store_turned{here()});
      },
      [this](const listen_to_store& m) {
        const auto [it, met] = listeners_.try_emplace(m.who.id());
        if (met) monitor(m.who);
        it->second.who = m.who;
        it->second.channels.insert(m.channels.begin(), m.channels.end());
        send(m.who, store_turned{here()});
      },
      [this](const unlisten_store& m) {
        const auto it = listeners_.find(m.who.id());
        if (it == listeners_.end()) return;
        for (const auto& channel : m.channels) it->second.channels.erase(channel);
      },
  };
}

void fake_store_door::on_exit() {
  std::erase(server_->doors_, this);
  waiting_.clear();
  watchers_.clear();
  listeners_.clear();
}

void fake_store_door::ask(const ask_store& m) {
  const auto id = m.what.id;
  if (!here()) return answer(m.asker, {id, store_outcome::away, nullptr}, 0ms);
  if (server_->silent_) {
    if (server_->does_it_) server_->run(m.what, clock().now());
    return answer(m.asker, {id, store_outcome::timeout, nullptr}, limits::store_operation);
  }
  const auto reply = resp::parse(server_->run(m.what, clock().now()));
  if (server_->delay_ > limits::store_operation)
    return answer(m.asker, {id, store_outcome::timeout, nullptr}, limits::store_operation);
  answer(m.asker, {id, outcome_of(reply->root()), reply}, server_->delay_);
}

void fake_store_door::answer(const store_asker& who, store_told told,
                             std::chrono::milliseconds after) {
  if (after == 0ms) return send(who, std::move(told));
  const auto number = next_++;
  waiting_.emplace(number, waiting{told.id, who});
  auto give = std::make_shared<std::function<void()>>([this, number, told = std::move(told)] {
    const auto node = waiting_.extract(number);
    if (node) send(node.mapped().who, told);
  });
  delayed_send(this, after, store_due{std::move(give)});
}

void fake_store_door::turn(bool here) {
  const bool anew = here && std::exchange(life_, server_->life_) != server_->life_;
  // It is the test that speaks, from outside: messages, as from anybody.
  for (const auto& [id, who] : watchers_) caf::anon_send(who, store_turned{here, anew});
  for (const auto& [id, l] : listeners_) caf::anon_send(l.who, store_turned{here, anew});
  if (here) return;
  for (auto& [number, w] : std::exchange(waiting_, {}))
    caf::anon_send(w.who, store_told{w.id, store_outcome::lost, nullptr});
}

bool fake_store_door::hears(const std::string& channel) const {
  return !cut_off_ && std::ranges::any_of(listeners_, [&](const auto& one) {
    return one.second.channels.contains(channel);
  });
}

void fake_store_door::hear(const store_heard& m) {
  if (cut_off_) return;
  for (const auto& [id, l] : listeners_)
    if (l.channels.contains(m.channel)) caf::anon_send(l.who, m);
}

}  // namespace gate::sim
