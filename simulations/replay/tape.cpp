#include "simulations/replay/tape.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
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

/// How a request that goes from unit to unit is known again: views into the events.
struct appearance {
  std::uint64_t to = 0;  ///< the unit where it arrives
  std::string_view peer, target, body;
  const recording::header_list* headers = nullptr;

  bool operator==(const appearance& o) const {
    return to == o.to && peer == o.peer && target == o.target && body == o.body &&
           *headers == *o.headers;
  }
};

struct appearance_hash {
  std::size_t operator()(const appearance& a) const {
    std::size_t out = a.to;
    const auto add = [&out](std::string_view text) {
      out = out * 1'099'511'628'211U + std::hash<std::string_view>{}(text);
    };
    for (const auto text : {a.peer, a.target, a.body}) add(text);
    for (const auto& h : *a.headers) {
      add(h.name);
      add(h.value);
    }
    return out;
  }
};

appearance appearance_of(const recording::event& request, const recording::event& with_body,
                         std::uint64_t to) {
  const auto& body = with_body.body;
  return {to, request.peer, request.target, body ? std::string_view(*body) : std::string_view{},
          &request.headers};
}

/// Of each request that arrives from another unit, what it was there: of those that look like it,
/// the first that left. Lines of different units are not quite in order: it may arrive before it
/// has left.
std::map<std::size_t, subject_key> origins_of(const event_list& events) {
  std::map<subject_key, std::size_t> requests, bodies;
  std::vector<std::size_t> departures, arrivals;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& e = events[i];
    if (e.what == kind::request) requests.insert_or_assign({e.unit, e.number}, i);
    if (e.what == kind::body) bodies.insert_or_assign({e.unit, e.number}, i);
    if (e.what == kind::request && e.arrives) arrivals.push_back(i);
    if (e.what == kind::moved) departures.push_back(i);
  }
  std::unordered_map<appearance, std::deque<subject_key>, appearance_hash> on_their_way;
  for (const auto i : departures) {
    const subject_key key{events[i].unit, events[i].number};
    const auto sent = requests.find(key);
    if (sent == requests.end()) continue;
    const auto later = bodies.find(key);
    const auto& with_body = events[later == bodies.end() ? sent->second : later->second];
    on_their_way[appearance_of(events[sent->second], with_body, events[i].to)].push_back(key);
  }
  std::map<std::size_t, subject_key> out;
  for (const auto i : arrivals) {
    const auto& e = events[i];
    const auto it = on_their_way.find(appearance_of(e, e, e.unit));
    if (it == on_their_way.end() || it->second.empty()) continue;
    out.emplace(i, it->second.front());
    it->second.pop_front();
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
