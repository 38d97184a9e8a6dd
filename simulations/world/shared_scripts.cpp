#include "simulations/world/shared_scripts.hpp"

#include <map>
#include <sstream>

#include "actors/fleet/session_book.hpp"
#include "actors/fleet/shared_circuit.hpp"
#include "actors/fleet/shared_lists.hpp"
#include "actors/fleet/shared_owners.hpp"
#include "actors/fleet/stage_question.hpp"

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

void keep(fake_store& store, const std::string& key, std::int64_t value, std::int64_t ends,
          milliseconds now) {
  store.set(key, std::to_string(value), milliseconds((ends + 3600) * 1000) - now);
}

std::string stage(fake_store& store, milliseconds now, const fake_store::words& keys,
                  const fake_store::words& w) {
  const auto windows = std::stoull(w.at(0));
  const auto of_budget = [&](std::size_t i) { return 2 + windows + 3 * (i - windows); };
  const auto us = now.count() * 1000, minute = us / length, second = now.count() / 1000;
  numbers out{0, now.count(), std::stoll(w.at(1))};
  auto& fit = out[2];
  for (auto i = windows; i < keys.size(); ++i)
    if (second < std::stoll(w.at(of_budget(i))) || second >= std::stoll(w.at(of_budget(i) + 1)))
      return list({-1, now.count()});
  numbers seen;
  const auto bound = [&](std::size_t by, std::int64_t most) {
    if (most >= fit) return;
    fit = most;
    out[0] = static_cast<std::int64_t>(by) + 1;
  };
  for (std::size_t i = 0; i < windows; ++i) {
    std::int64_t m = minute, c = 0, p = 0;
    if (const auto known = store.get(keys[i])) std::istringstream(*known) >> m >> c >> p;
    const auto into = m > minute ? 0 : us % length;
    if (m < minute) {
      p = m == minute - 1 ? c : 0;
      c = 0;
      m = minute;
    }
    std::int64_t n = 0;
    for (; n < fit; ++n) {
      const auto room = std::stoll(w.at(2 + i)) - 1 - c - n;
      if (room < 0 || (p > room && p * (length - into) > room * length)) break;
    }
    bound(i, n);
    for (const auto x : {m, c, p}) seen.push_back(x);
  }
  for (auto i = windows; i < keys.size(); ++i) {
    seen.push_back(number_of(store.get(keys[i])));
    bound(i, std::max<std::int64_t>(std::stoll(w.at(of_budget(i) + 2)) - seen.back(), 0));
  }
  for (std::size_t i = 0; fit > 0 && i < windows; ++i) {
    const auto m = seen[3 * i], c = seen[3 * i + 1] += fit, p = seen[3 * i + 2];
    store.set(keys[i], std::to_string(m) + ' ' + std::to_string(c) + ' ' + std::to_string(p),
              milliseconds(120'000));
  }
  for (auto i = windows; fit > 0 && i < keys.size(); ++i)
    keep(store, keys[i], seen[3 * windows + i - windows] += fit, std::stoll(w.at(of_budget(i) + 1)),
         now);
  out.insert(out.end(), seen.begin(), seen.end());
  return list(out);
}

std::string window_at_least(fake_store& store, milliseconds now, const fake_store::words& keys,
                            const fake_store::words& w) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto m = std::stoll(w.at(3 * i)), c = std::stoll(w.at(3 * i + 1)),
         p = std::stoll(w.at(3 * i + 2));
    long long known = m, current = 0, previous = 0;
    if (const auto text = store.get(keys[i]))
      std::istringstream(*text) >> known >> current >> previous;
    if (known > m) {
      p = known == m + 1 ? c : 0;
      c = 0;
      m = known;
    } else if (known < m) {
      previous = known == m - 1 ? current : 0;
      current = 0;
    }
    if (now.count() / 60'000 - m >= 2) continue;
    store.set(keys[i],
              std::to_string(m) + ' ' + std::to_string(std::max(c, current)) + ' ' +
                  std::to_string(std::max(p, previous)),
              milliseconds(120'000));
  }
  return ":1\r\n";
}

constexpr std::string_view count_text = "what others let in";

std::string count(fake_store& store, milliseconds, const fake_store::words& keys,
                  const fake_store::words& w) {
  const auto minute = std::stoll(w.at(0)), sum = std::stoll(w.at(1));
  std::int64_t m = minute, c = 0, p = 0;
  if (const auto known = store.get(keys.at(0))) std::istringstream(*known) >> m >> c >> p;
  if (m < minute) {
    p = m == minute - 1 ? c : 0;
    c = 0;
    m = minute;
  }
  if (m == minute) c += sum;
  if (m == minute + 1) p += sum;
  store.set(keys[0], std::to_string(m) + ' ' + std::to_string(c) + ' ' + std::to_string(p),
            milliseconds(120'000));
  return ":1\r\n";
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

std::string at_least(fake_store& store, milliseconds now, const fake_store::words& keys,
                     const fake_store::words& w) {
  for (std::size_t i = 0; 2 * i < keys.size(); ++i) {
    const auto& used = keys.at(2 * i);
    const auto& before = keys.at(2 * i + 1);
    const auto ends = std::stoll(w.at(2 * i)), said = std::stoll(w.at(2 * i + 1));
    const auto more = said - number_of(store.get(before));
    if (more <= 0 || now.count() / 1000 >= ends + 3600) continue;
    keep(store, used, number_of(store.get(used)) + more, ends, now);
    keep(store, before, said, ends, now);
  }
  return ":1\r\n";
}

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

/// Who has said within this time (s) that he holds it, says the field of a session.
bool is_held(const std::string& field, const std::string& value, milliseconds now,
             const std::string& alive) {
  return field.starts_with("i:") && now.count() / 1000 - std::stoll(value) <= std::stoll(alive);
}

std::string keep_session(fake_store& store, milliseconds now, const fake_store::words& keys,
                         const fake_store::words& w) {
  const auto& key = keys.at(0);
  const auto* all = store.fields(key);
  if (all && all->contains("x")) return ":-1\r\n";
  if (w.at(1) == "0" && !all) return ":0\r\n";
  store.set_field(key, "i:" + w.at(2), std::to_string(now.count() / 1000));
  for (std::size_t i = 3; i < w.size(); i += 2)
    w.at(i + 1).empty() ? store.erase_field(key, w[i]) : store.set_field(key, w[i], w[i + 1]);
  store.expire(key, milliseconds(std::stoll(w[0])));
  return ":1\r\n";
}

std::string look_for_session(fake_store& store, milliseconds now, const fake_store::words& keys,
                             const fake_store::words& w) {
  const auto& key = keys.at(0);
  if (!store.fields(key)) return "*0\r\n";
  const auto all = *store.fields(key);
  if (all.contains("x")) return "*2\r\n" + bulk("x") + bulk("1");
  std::size_t count = 0;
  std::string out;
  for (const auto& [field, value] : all) {
    if (field.starts_with("i:") && !is_held(field, value, now, w.at(1))) {
      store.erase_field(key, field);
      continue;
    }
    out += bulk(field) + bulk(value);
    count += 2;
  }
  store.set_field(key, "i:" + w.at(0), std::to_string(now.count() / 1000));
  return "*" + std::to_string(count) + "\r\n" + out;
}

std::string release_session(fake_store& store, milliseconds now, const fake_store::words& keys,
                            const fake_store::words& w) {
  const auto& key = keys.at(0);
  store.erase_field(key, "i:" + w.at(1));
  std::size_t count = 0;
  std::string out;
  long long wait = 0;
  if (!store.fields(key) && w.at(2) == "0") return ":-1\r\n";
  if (const auto* all = store.fields(key)) {
    if (all->contains("x")) return "*0\r\n";
    for (const auto& [field, value] : *all) {
      if (is_held(field, value, now, w.at(0))) {
        if (store.listeners(fleet::instance_channel(field.substr(2))) > 0) return ":0\r\n";
        wait = std::max(wait, std::stoll(w.at(0)) - now.count() / 1000 + std::stoll(value) + 1);
      }
      if (!field.starts_with("u:")) continue;
      out += bulk(field) + bulk(value);
      count += 2;
    }
  }
  if (wait > 0) {
    store.expire(key, milliseconds((wait + 60) * 1000));
    return ":" + std::to_string(wait) + "\r\n";
  }
  store.erase(key);
  return "*" + std::to_string(count) + "\r\n" + out;
}

std::string end_session(fake_store& store, milliseconds, const fake_store::words& keys,
                        const fake_store::words& w) {
  store.erase(keys.at(0));
  store.set_field(keys[0], "x", "1");
  store.expire(keys[0], milliseconds(std::stoll(w.at(0))));
  return ":1\r\n";
}

std::string agree_on_key(fake_store& store, milliseconds, const fake_store::words& keys,
                         const fake_store::words& w) {
  if (!store.get(keys.at(0))) store.set(keys[0], w.at(0), {});
  return bulk(*store.get(keys[0]));
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
      store.publish({w.at(6), fleet::published(c)});
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
    if (owner != w.at(1) && is_kept(was->first, was->second, now, w.at(4))) return bulk(owner);
  }
  const auto minted = now.count() - std::stoll(w.at(3));
  all[w.at(0)] = w.at(1) + ' ' + std::to_string(minted) + ' ' + w.at(2);
  std::string text;
  for (const auto& [upstream, what] : all) text.append(upstream + '\n').append(what + '\n');
  store.set(keys[0], text, milliseconds(minted + std::stoll(w.at(4))) - now);
  return ":1\r\n";
}

std::string owners(fake_store& store, milliseconds now, const fake_store::words& keys,
                   const fake_store::words& w) {
  std::size_t count = 0;
  std::string out;
  for (const auto& [upstream, text] : owners_in(store, keys.at(0))) {
    if (!is_kept(upstream, text, now, w.at(0))) continue;
    out += bulk(upstream) + bulk(text);
    count += 2;
  }
  return "*" + std::to_string(count) + "\r\n" + out;
}

/// A list is kept as the time of its beginning, a blank and its text.
std::string look(fake_store& store, milliseconds now, const fake_store::words& keys,
                 const fake_store::words& w) {
  if (const auto known = store.get(keys.at(0))) {
    const auto began = std::stoll(*known);
    const auto age = now.count() - began;
    if (began > number_of(store.get(keys.at(2))) && age >= 0 && age < std::stoll(w.at(0)))
      return "*3\r\n" + bulk("kept") + ":" + std::to_string(age) + "\r\n" +
             bulk(known->substr(known->find(' ') + 1));
  }
  if (store.get(keys.at(1))) return "*1\r\n" + bulk("wait");
  store.set(keys[1], w.at(1), milliseconds(std::stoll(w.at(2))));
  return "*2\r\n" + bulk("fetch") + ":" + std::to_string(now.count()) + "\r\n";
}

std::string keep_list(fake_store& store, milliseconds now, const fake_store::words& keys,
                      const fake_store::words& w) {
  if (store.get(keys.at(1)) == w.at(0)) store.erase(keys[1]);
  const auto began = std::stoll(w.at(1)), left = began + std::stoll(w.at(3)) - now.count();
  const auto known = store.get(keys.at(0));
  if (w.at(2).empty() || left <= 0 || (known && std::stoll(*known) >= began)) return ":0\r\n";
  store.set(keys[0], w[1] + ' ' + w[2], milliseconds(left));
  return ":1\r\n";
}

std::string forget(fake_store& store, milliseconds now, const fake_store::words& keys,
                   const fake_store::words& w) {
  store.set(keys.at(0), std::to_string(now.count()), milliseconds(std::stoll(w.at(0))));
  if (!w.at(2).empty()) store.publish({w.at(1), w.at(2)});
  return ":1\r\n";
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
  teach(fleet::stage_script(), stage);
  teach(fleet::give_back_script(), give_back);
  teach(count_text, count);
  teach(fleet::window_at_least_script(), window_at_least);
  teach(fleet::add_script(), add);
  teach(fleet::at_least_script(), at_least);
  teach(fleet::own_script(), own);
  teach(fleet::owners_script(), owners);
  teach(fleet::look_script(), look);
  teach(fleet::keep_script(), keep_list);
  teach(fleet::forget_script(), forget);
  teach(fleet::keep_session_script(), keep_session);
  teach(fleet::look_for_session_script(), look_for_session);
  teach(fleet::release_session_script(), release_session);
  teach(fleet::end_session_script(), end_session);
  teach(fleet::agree_on_key_script(), agree_on_key);
  teach(fleet::circuit_script(),
        [all = std::make_shared<circuits>()](auto&&... xs) { return (*all)(xs...); });
}

store_request ask_to_count(std::string window, std::int64_t minute, std::int64_t sum) {
  static const auto script = resp::make_script(count_text);
  return {.id = 0,
          .op = store_op::limit,
          .script = script,
          .keys = {std::move(window)},
          .words = {std::to_string(minute), std::to_string(sum)}};
}

}  // namespace gate::sim
