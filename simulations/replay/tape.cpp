#include "simulations/replay/tape.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "protocol/http/request_gate.hpp"

namespace gate::replay {

using recording::kind;

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

/// Which subjects there are, while events come by.
class sorter {
 public:
  explicit sorter(tape& to) : tape_(to) {}

  std::size_t place(std::size_t i) {
    const auto& e = tape_.events[i];
    const std::pair key{e.unit, e.number};
    switch (e.what) {
      case kind::request: {
        if (e.arrives) {
          // It goes on as the visit that it was at the other unit.
          auto& line = on_their_way_[e.unit];
          if (line.empty()) return nothing;
          const auto v = line.front();
          line.pop_front();
          return visits_[key] = v;
        }
        tape_.visits.emplace_back().request = i;
        return visits_[key] = tape_.visits.size() - 1;
      }
      case kind::fetch:
        tape_.errands.emplace_back().fetch = i;
        return errands_[key] = tape_.errands.size() - 1;
      case kind::abandoned:
      case kind::streamed:
      case kind::fetched: {
        const auto it = errands_.find(key);
        if (it == errands_.end()) return nothing;
        auto& errand = tape_.errands[it->second];
        if (e.what == kind::abandoned)
          errand.abandoned = true;
        else
          errand.told.push_back(i);
        return it->second;
      }
      case kind::body:
      case kind::answer:
      case kind::stream:
      case kind::sent:
      case kind::ended:
      case kind::dropped:
      case kind::gone:
      case kind::moved: {
        const auto it = visits_.find(key);
        if (it == visits_.end()) return nothing;
        tell(tape_.visits[it->second], it->second, i);
        return it->second;
      }
      default:
        return nothing;
    }
  }

 private:
  void tell(visit& v, std::size_t which, std::size_t i) {
    auto& e = tape_.events[i];
    const auto over = [&] {
      v.was.over = true;
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
        on_their_way_[e.to].push_back(which);
    }
  }

  tape& tape_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> visits_, errands_;
  std::map<std::uint64_t, std::deque<std::size_t>> on_their_way_;  ///< by the unit they go to
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
