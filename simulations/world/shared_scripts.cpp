#include "simulations/world/shared_scripts.hpp"

#include <map>
#include <sstream>

#include "actors/fleet/shared_circuit.hpp"
#include "actors/fleet/shared_counters.hpp"
#include "actors/fleet/shared_owners.hpp"
#include "actors/fleet/shared_windows.hpp"

namespace gate::sim {
namespace {

using std::chrono::milliseconds;
using numbers = std::vector<std::int64_t>;
constexpr std::int64_t length = 60'000'000;

std::string list(const numbers& all) {
  std::string out = "*" + std::to_string(all.size()) + "\r\n";
  for (const auto n : all) out += ":" + std::to_string(n) + "\r\n";
  return out;
}
milliseconds time_of(const fake_store& store, milliseconds since_epoch) {
  return std::chrono::floor<milliseconds>(store.now().time_since_epoch()) + since_epoch;
}
std::int64_t number_of(const std::optional<std::string>& text) {
  return text ? std::stoll(*text) : 0;
}

std::string windows(fake_store& store, milliseconds now, const fake_store::words& keys,
                    const fake_store::words& limits) {
  const auto us = now.count() * 1000, minute = us / length;
  numbers out{0, now.count()};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::int64_t m = minute, c = 0, p = 0;
    if (const auto known = store.get(keys[i])) std::istringstream(*known) >> m >> c >> p;
    const auto into = m > minute ? 0 : us % length;
    if (m < minute) {
      p = m == minute - 1 ? c : 0;
      c = 0;
      m = minute;
    }
    const auto room = std::stoll(limits.at(i)) - 1 - c;
    const bool full = room < 0 || (p > room && p * (length - into) > room * length);
    if (out[0] == 0 && full) out[0] = static_cast<std::int64_t>(i) + 1;
    for (const auto n : {m, c, p}) out.push_back(n);
  }
  if (out[0] != 0) return list(out);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto m = out[2 + 3 * i], c = ++out[3 + 3 * i], p = out[4 + 3 * i];
    store.set(keys[i], std::to_string(m) + ' ' + std::to_string(c) + ' ' + std::to_string(p),
              milliseconds(120'000));
  }
  return list(out);
}

std::string give_back(fake_store& store, milliseconds, const fake_store::words& keys,
                      const fake_store::words& w) {
  const auto known = store.get(keys.at(0));
  if (!known) return ":1\r\n";
  std::int64_t m = 0, c = 0, p = 0;
  std::istringstream(*known) >> m >> c >> p;
  const auto minute = std::stoll(w.at(0));
  if (m == minute) c = std::max<std::int64_t>(c - 1, 0);
  if (m == minute + 1) p = std::max<std::int64_t>(p - 1, 0);
  store.set(keys[0], std::to_string(m) + ' ' + std::to_string(c) + ' ' + std::to_string(p),
            store.ttl(keys[0]));
  return ":1\r\n";
}

void keep(fake_store& store, const std::string& key, std::int64_t value, std::int64_t ends,
          milliseconds now) {
  store.set(key, std::to_string(value), milliseconds((ends + 3600) * 1000) - now);
}

std::string charge(fake_store& store, milliseconds now, const fake_store::words& keys,
                   const fake_store::words& w) {
  const auto second = now.count() / 1000;
  numbers out{0, now.count()};
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (second < std::stoll(w.at(3 * i)) || second >= std::stoll(w.at(3 * i + 1)))
      return list({-1, now.count()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    out.push_back(number_of(store.get(keys[i])));
    if (out[0] == 0 && out.back() >= std::stoll(w.at(3 * i + 2)))
      out[0] = static_cast<std::int64_t>(i) + 1;
  }
  if (out[0] != 0) return list(out);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keep(store, keys[i], ++out[2 + i], std::stoll(w.at(3 * i + 1)), now);
  return list(out);
}

std::string add(fake_store& store, milliseconds now, const fake_store::words& keys,
                const fake_store::words& w) {
  if (store.get(keys.at(0))) return ":0\r\n";
  store.set(keys[0], "1", milliseconds(3'600'000));
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const auto ends = std::stoll(w.at(2 * i - 2)), sum = std::stoll(w.at(2 * i - 1));
    if (now.count() / 1000 >= ends + 3600) continue;
    keep(store, keys[i], std::max<std::int64_t>(number_of(store.get(keys[i])) + sum, 0), ends, now);
  }
  return ":1\r\n";
}

/// By the breaker of one instance; the store's record tells that it is known.
class circuits {
 public:
  std::string operator()(fake_store& store, milliseconds now, const fake_store::words& keys,
                         const fake_store::words& w) {
    const auto& key = keys.at(0);
    const auto known = store.get(key);
    if (!known) all_.erase(key);
    config::circuit_breaker settings{.failure_threshold = std::stoll(w.at(3)),
                                     .half_open_after = milliseconds(std::stoll(w.at(4)))};
    auto& it = all_.try_emplace(key, settings, milliseconds(std::stoll(w.at(5))), 1).first->second;
    const auto was_state = it.state();
    const auto was_clean = it.clean();
    const auto lease = apply(it, w, store.now());
    fleet::circuit c{.state = it.state(),
                     .failures = it.failures(),
                     .why = it.why(),
                     .ends_in = {},
                     .version = known ? std::stoll(*known) : now.count()};
    if (it.next()) c.ends_in = std::chrono::ceil<milliseconds>(*it.next() - store.now());
    if (it.state() != was_state || it.clean() != was_clean) {
      c.version = std::max<std::int64_t>(c.version + 1, now.count());
      store.set(key, std::to_string(c.version), std::chrono::hours(24));
      store.publish({key, fleet::published(c)});
    }
    return list({static_cast<int>(c.state), c.failures, static_cast<int>(c.why),
                 c.ends_in ? c.ends_in->count() : -1, c.version, lease});
  }

 private:
  static std::int64_t apply(guards::breaker& it, const fake_store::words& w,
                            fake_store::time_point now) {
    const auto& event = w.at(0);
    const auto lease = std::stoull(w.at(1));
    it.pass(now);
    if (event == "lease") {
      const auto given = it.lease(now, milliseconds(std::stoll(w.at(2))));
      return given == lease_told::not_leased ? -1 : static_cast<std::int64_t>(given);
    }
    if (event == "reached") it.reached(now);
    if (event == "success") it.ended(verdict::success, lease, now);
    if (event == "failure") it.ended(verdict::failure, lease, now);
    if (event == "neutral") it.ended(verdict::neutral, lease, now);
    return 0;
  }
  std::map<std::string, guards::breaker> all_;
};

/// Lines of an upstream and what is known there.
std::map<std::string, std::string> owners_in(fake_store& store, const std::string& key) {
  std::map<std::string, std::string> out;
  std::istringstream lines(store.get(key).value_or(""));
  for (std::string upstream, text; std::getline(lines, upstream) && std::getline(lines, text);)
    out[upstream] = text;
  return out;
}
bool is_kept(const std::string& upstream, const std::string& text, milliseconds now,
             const std::string& life) {
  const auto known = fleet::read_owner(upstream, text);
  return known && now.count() - known->minted < std::stoll(life);
}

std::string own(fake_store& store, milliseconds now, const fake_store::words& keys,
                const fake_store::words& w) {
  auto all = owners_in(store, keys.at(0));
  if (const auto was = all.find(w.at(0)); was != all.end()) {
    const auto owner = was->second.substr(0, was->second.find(' '));
    if (owner != w.at(1) && is_kept(was->first, was->second, now, w.at(4)))
      return "$" + std::to_string(owner.size()) + "\r\n" + owner + "\r\n";
  }
  const auto minted = now.count() - std::stoll(w.at(3));
  all[w.at(0)] = w.at(1) + ' ' + std::to_string(minted) + ' ' + w.at(2);
  std::string text;
  for (const auto& [upstream, what] : all) text += upstream + '\n' + what + '\n';
  store.set(keys[0], text, milliseconds(minted + std::stoll(w.at(4))) - now);
  return ":1\r\n";
}

std::string owners(fake_store& store, milliseconds now, const fake_store::words& keys,
                   const fake_store::words& w) {
  std::size_t count = 0;
  std::string out;
  for (const auto& [upstream, text] : owners_in(store, keys.at(0))) {
    if (!is_kept(upstream, text, now, w.at(0))) continue;
    for (const auto& part : {upstream, text})
      out += "$" + std::to_string(part.size()) + "\r\n" + part + "\r\n";
    count += 2;
  }
  return "*" + std::to_string(count) + "\r\n" + out;
}

}  // namespace

void teach_scripts(fake_store& store, milliseconds since_epoch) {
  using words = fake_store::words;
  const auto teach = [&](std::string_view text, auto what) {
    store.teach(text,
                [what, since_epoch](fake_store& s, const words& keys, const words& arguments) {
                  return what(s, time_of(s, since_epoch), keys, arguments);
                });
  };
  teach(fleet::windows_script(), windows);
  teach(fleet::give_back_script(), give_back);
  teach(fleet::charge_script(), charge);
  teach(fleet::add_script(), add);
  teach(fleet::own_script(), own);
  teach(fleet::owners_script(), owners);
  teach(fleet::circuit_script(),
        [all = std::make_shared<circuits>()](auto&&... xs) { return (*all)(xs...); });
}

}  // namespace gate::sim
