#include "simulations/replay/tape.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <utility>

#include "protocol/http/request_gate.hpp"
#include "protocol/recording/shapes.hpp"

namespace gate::replay {

using recording::kind;
using recording::series;

std::vector<recording::header> header_lines(std::string_view block) {
  std::vector<recording::header> out;
  while (!block.empty()) {
    const auto end = std::min(block.find("\r\n"), block.size());
    const auto line = block.substr(0, end);
    if (const auto colon = line.find(':'); colon != line.npos) {
      const auto value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
      out.push_back({std::string(line.substr(0, colon)), std::string(line.substr(value))});
    }
    block.remove_prefix(std::min(end + 2, block.size()));
  }
  return out;
}

std::string_view told::header_of(std::string_view name) const {
  for (const auto& h : headers)
    if (http::same_name(h.name, name)) return h.value;
  return {};
}

std::vector<sse::event> told::events() const {
  std::vector<sse::event> out;
  sse::parser parser(std::size_t{1} << 30);
  parser.feed(stream, [&](sse::event&& e) { out.push_back(std::move(e)); });
  return out;
}

std::string told::last() const {
  if (!streaming) return body;
  std::string out;
  for (auto& e : events())
    if (!e.data.empty()) out = std::move(e.data);
  return out;
}

std::string_view tape::body_of(const visit& v) const {
  const auto& text = events[v.body == nothing ? v.request : v.body].body;
  return text ? std::string_view(*text) : std::string_view{};
}

namespace {

using subject_key = std::pair<std::uint64_t, std::uint64_t>;  ///< unit and number

/// Of each request that arrives from another unit, what it was there. Lines of different units are
/// not quite in order: it may arrive before it has left.
std::map<std::size_t, subject_key> origins_of(const event_list& events) {
  std::map<subject_key, std::size_t> requests, bodies;
  std::map<std::uint64_t, std::list<subject_key>> on_their_way;  // by the unit they go to
  std::vector<std::size_t> arrivals;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& e = events[i];
    if (e.what == kind::request) requests.insert_or_assign({e.unit, e.number}, i);
    if (e.what == kind::body) bodies.insert_or_assign({e.unit, e.number}, i);
    if (e.what == kind::request && e.arrives) arrivals.push_back(i);
    if (e.what == kind::moved) on_their_way[e.to].emplace_back(e.unit, e.number);
  }
  std::map<std::size_t, subject_key> out;
  for (const auto i : arrivals) {
    const auto& e = events[i];
    auto& all = on_their_way[e.unit];
    const auto it = std::ranges::find_if(all, [&](const subject_key& key) {
      const auto at = requests.find(key);
      if (at == requests.end()) return false;
      const auto& sent = events[at->second];
      const auto later = bodies.find(key);
      const auto& body = later == bodies.end() ? sent.body : events[later->second].body;
      return sent.peer == e.peer && sent.target == e.target && sent.headers == e.headers &&
             body.value_or("") == e.body.value_or("");
    });
    if (it == all.end()) continue;
    out.emplace(i, *it);
    all.erase(it);
  }
  return out;
}

/// Which subjects there are, while events come by.
class sorter {
 public:
  explicit sorter(tape& to) : tape_(to), origins_(origins_of(to.events)) {}

  std::size_t place(std::size_t i) {
    const auto& e = tape_.events[i];
    const subject_key key{e.unit, e.number};
    switch (e.what) {
      case kind::request: {
        if (e.arrives) {
          // It goes on as the visit that it was at the other unit.
          const auto from = origins_.find(i);
          const auto it = from == origins_.end() ? visits_.end() : visits_.find(from->second);
          if (it == visits_.end()) return nothing;
          const auto v = it->second;
          return visits_[key] = v;
        }
        tape_.visits.emplace_back().request = i;
        return visits_[key] = tape_.visits.size() - 1;
      }
      case kind::fetch:
        tape_.errands.emplace_back().fetch = i;
        return errands_[key] = tape_.errands.size() - 1;
      default:
        break;
    }
    switch (recording::series_of(e.what)) {
      case series::fetch: {
        const auto it = errands_.find(key);
        if (it == errands_.end()) return nothing;
        auto& errand = tape_.errands[it->second];
        if (e.what == kind::abandoned)
          errand.abandoned = true;
        else
          errand.told.push_back(i);
        return it->second;
      }
      case series::request: {
        const auto it = visits_.find(key);
        if (it == visits_.end()) return nothing;
        tell(tape_.visits[it->second], i);
        return it->second;
      }
      case series::store:
      case series::none:
        return nothing;
    }
    return nothing;
  }

 private:
  void tell(visit& v, std::size_t i) {
    auto& e = tape_.events[i];
    const auto over = [&] {
      v.was.over = true;
      v.over = i;
      v.over_at = e.at;
    };
    switch (e.what) {
      case kind::body:
        v.body = i;
        return;
      case kind::answer:
        v.was.status = e.status;
        v.was.type = e.type;
        v.was.headers = e.headers;
        v.was.body = e.body.value_or(std::string{});
        return over();
      case kind::stream:
        v.was.status = 200;
        v.was.type = "text/event-stream";
        v.was.headers = e.headers;
        v.was.streaming = true;
        return;
      case kind::sent:
        v.was.stream += e.data;
        return;
      case kind::ended:
        return over();
      case kind::dropped:
        v.was.dropped = true;
        return over();
      case kind::gone:
        v.gone = true;
        return;
      default:
        v.moved = true;
    }
  }

  tape& tape_;
  std::map<subject_key, std::size_t> visits_, errands_;
  std::map<std::size_t, subject_key> origins_;
};

}  // namespace

tape order(recording::preamble head, event_list events, recording::ending end) {
  tape out;
  out.head = std::move(head);
  out.events = std::move(events);
  out.end = end;
  sorter s(out);
  out.whose.reserve(out.events.size());
  for (std::size_t i = 0; i < out.events.size(); ++i) out.whose.push_back(s.place(i));
  return out;
}

}  // namespace gate::replay
