#include "actors/kubernetes/service_table.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "protocol/limits.hpp"

namespace gate::kubernetes {
namespace {

constexpr std::string_view opening = R"({"upstreams":[)";
constexpr std::string_view closing = "]}\n";

}  // namespace

bool service_table::put(service s) {
  if (!s.wanted()) return remove(s);
  auto entry = entry_of(s, rules_);
  known_.insert_or_assign(key{std::move(s.space), std::move(s.name)},
                          known_service{std::move(s.created), std::move(entry)});
  if (known_.size() > limits::cluster_kept) drop_newest();
  return true;
}

bool service_table::remove(const service& s) {
  return known_.erase({s.space, s.name}) > 0;
}

void service_table::replace(std::vector<service> all) {
  known_.clear();
  for (auto& s : all) put(std::move(s));
}

void service_table::drop_newest() {
  known_.erase(std::ranges::max_element(
      known_, {}, [](const auto& k) { return std::tie(k.second.created, k.first); }));
}

made_document service_table::document() const {
  struct candidate {
    const key* name;
    const known_service* what;
  };
  made_document out;
  std::vector<candidate> good;
  const auto leave = [&out](const key& k, absence kind, std::string why) {
    out.out.push_back({k.first + '/' + k.second, kind, std::move(why)});
  };
  for (const auto& [k, s] : known_) {
    if (s.entry)
      good.push_back({&k, &s});
    else
      leave(k, s.entry.error().kind, s.entry.error().what);
  }
  std::ranges::sort(good, {},
                    [](const candidate& c) { return std::tie(c.what->created, *c.name); });
  std::map<std::string_view, const key*> spaces;
  std::vector<const upstream_entry*> told;
  std::size_t bytes = opening.size() + closing.size();
  for (const auto& c : good) {
    const auto& e = *c.what->entry;
    if (const auto [it, fresh] = spaces.emplace(e.space, c.name); !fresh) {
      leave(*c.name, absence::space,
            "its namespace \"" + e.space + "\" is that of " + it->second->first + '/' +
                it->second->second + ", which is older");
    } else if (told.size() == limits::cluster_services ||
               bytes + e.json.size() + 1 > limits::discovery_bytes) {
      leave(*c.name, absence::crowded, "there are too many older ones");
    } else {
      bytes += e.json.size() + 1;
      told.push_back(&e);
    }
  }
  std::ranges::sort(told, {}, &upstream_entry::id);
  out.text.reserve(bytes);
  out.text = opening;
  for (const auto* e : told) {
    if (out.text.size() > opening.size()) out.text += ',';
    out.text += e->json;
  }
  out.text += closing;
  out.upstreams = told.size();
  std::ranges::sort(out.out, {}, &left_out::service);
  return out;
}

}  // namespace gate::kubernetes
