#include "simulations/replay/played_network.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <set>

#include "protocol/http/request_gate.hpp"
#include "protocol/http/verbs.hpp"
#include "protocol/json/scan.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

using recording::kind;

/// A fetch that begins so much earlier or later than it did is told things in its own time. Where
/// the traffic has changed, each is: another one may have asked for the same.
constexpr std::uint64_t in_step_within = 1'000'000;

std::string text_of(const fetch& f) {
  std::string out = f.before;
  out.append(f.first).append(f.second).append(f.after);
  return out;
}

std::string_view value_of(const std::vector<recording::header>& in, std::string_view name) {
  for (const auto& h : in)
    if (http::same_name(h.name, name)) return h.value;
  return {};
}

/// What a replay sends alike: no secrets, no marks of this one time.
std::set<std::string> comparable(const std::vector<recording::header>& in) {
  std::set<std::string> out;
  for (const auto& h : in) {
    const bool plain =
        !http::same_name(h.name, "Authorization") && !http::same_name(h.name, "traceparent") &&
        !http::same_name(h.name, "Content-Length") && !http::same_name(h.name, "Last-Event-ID") &&
        !http::same_name(h.name, "Host") && h.value.find("secret:") == std::string::npos &&
        h.value.find(stand_in_issuer::secret) == std::string::npos;
    std::string name = h.name;
    for (auto& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (plain) out.insert(name + ": " + h.value);
  }
  return out;
}

}  // namespace

played_network::played_network(const tape& of, stand_in_issuer& issuer,
                               std::function<std::uint64_t()> now,
                               std::function<std::string(std::string_view)> recorded, bool changed)
    : tape_(of),
      issuer_(issuer),
      now_(std::move(now)),
      recorded_(std::move(recorded)),
      changed_(changed),
      book_(of) {}

recording::header_list played_network::headers_of(const fetch& f) {
  if (!f.own_headers) {
    if (!f.headers) return {};
    if (const auto it = known_lines_.find(f.headers); it != known_lines_.end()) return it->second;
    if (known_lines_.size() >= limits::playback_memo) known_lines_.clear();
    return known_lines_[f.headers] = header_lines(*f.headers);
  }
  std::string all = f.headers ? *f.headers : std::string{};
  return header_lines(all += *f.own_headers);
}

std::vector<due_word> played_network::start(const playing_ptr& p, std::uint64_t unit) {
  const auto body = text_of(*p->what);
  const auto headers = headers_of(*p->what);
  const auto method = http::verbs::name(p->what->method);
  const auto& to = p->what->to->url;
  p->url = to.origin() + to.target;
  const auto session = value_of(headers, "Mcp-Session-Id");
  asked what{unit, method, p->url, session, body};
  if (changed_) what.at = now_();
  auto found = book_.take(what);
  if (found.how != likeness::same && !body.empty()) {
    // Some are about what the gateway has minted itself.
    const auto named = recorded_(body);
    what.body = named;
    if (named != body) found = book_.take(what);
  }
  p->how = found.how;
  p->errand = found.errand;
  under_way_[{p->asker->id(), p->what->id}] = p;
  const bool reports = book_.reports_to(p->url);
  if (found.how != likeness::same) {
    p->subject = subject_of(method, body);
    if (!reports) odd_.push_back({found.how, now_(), p->subject, p->url});
  }
  if (found.errand == nothing) return {{std::chrono::microseconds{0}, nothing}};
  const auto& e = tape_.events[tape_.errands[found.errand].fetch];
  p->between = ids_of(e.body ? std::string_view(*e.body) : std::string_view{}, body);
  if (found.how == likeness::same && !reports && !(headers == e.headers))
    compare_headers(*p, headers, e);
  return schedule(p);
}

std::vector<due_word> played_network::schedule(const playing_ptr& p) {
  const auto& errand = tape_.errands[p->errand];
  const auto began = tape_.events[errand.fetch].at;
  const auto now = now_();
  const auto apart = began > now ? began - now : now - began;
  std::vector<due_word> out;
  if (!changed_ && p->how == likeness::same && apart <= in_step_within) {
    in_step_[p->errand] = p;
    for (const auto i : errand.told)
      if (i < reached_) out.push_back({{}, i});
    return out;
  }
  for (const auto i : errand.told) {
    // What a server said by itself, it has said.
    if (p->how != likeness::same && p->what->method == verb::get && !tape_.events[i].events.empty())
      break;
    out.push_back({std::chrono::microseconds(tape_.events[i].at - began), i});
  }
  return out;
}

void played_network::compare_headers(const playing& p, const std::vector<recording::header>& sent,
                                     const recording::event& e) {
  const auto recorded = comparable(e.headers);
  const auto ours = comparable(sent);
  std::set<std::string> named;
  for (const auto& h : ours)
    if (!recorded.contains(h)) named.insert(recorded_(h));
  std::string lacking, more;
  for (const auto& h : recorded)
    if (!ours.contains(h) && !named.contains(h)) lacking += (lacking.empty() ? "" : "; ") + h;
  for (const auto& h : ours)
    if (!recorded.contains(h) && !recorded.contains(recorded_(h)))
      more += (more.empty() ? "" : "; ") + h;
  if (!lacking.empty() || !more.empty())
    differences_.push_back(
        {"headers of " +
             subject_of(e.method, e.body ? std::string_view(*e.body) : std::string_view{}) +
             " to " + p.url,
         lacking, more});
}

void played_network::come_to(std::size_t event) {
  reached_ = event + 1;
  const auto it = in_step_.find(tape_.whose[event]);
  if (it == in_step_.end()) return;
  const auto p = it->second;
  tell(*p, event);
}

void played_network::end(playing& p) {
  p.over = true;
  // Another may have taken its place.
  const auto forget = [&p](auto& in, const auto& key) {
    if (const auto it = in.find(key); it != in.end() && it->second.get() == &p) in.erase(it);
  };
  forget(in_step_, p.errand);
  forget(under_way_, std::pair{p.asker->id(), p.what->id});
}

void played_network::tell(playing& p, std::size_t event) {
  if (p.over) return;
  if (event == nothing) return tell_made_up(p);
  const auto& e = tape_.events[event];
  if (e.what == kind::streamed) {
    streamed m;
    m.id = p.what->id;
    m.session_id = e.session;
    if (e.retry) m.retry_ms = static_cast<std::uint32_t>(*e.retry);
    for (auto one : e.events) {
      one.data = retold(one.data, p.between);
      m.events.push_back(std::move(one));
    }
    caf::anon_send(p.asker, std::move(m));
    return;
  }
  fetched f;
  f.id = p.what->id;
  f.end = end_of(e.end);
  f.obstacle = obstacle_of(e.obstacle);
  f.status = static_cast<int>(e.status);
  f.media = media_of(e.media);
  f.session_id = e.session;
  if (e.retry) f.retry_ms = static_cast<std::uint32_t>(*e.retry);
  f.untouched = e.untouched;
  f.retry_after = e.retry_after.has_value();
  f.retry_after_text = e.retry_after.value_or(std::string{});
  f.why = e.why;
  if (e.body) {
    auto text = is_key_set(*e.body) ? issuer_.key_set(*e.body) : retold(*e.body, p.between);
    // A stand-in has a colon, which no bearer token may have.
    if (may_have(text, "access_token") && !json::member(text, "access_token").empty())
      text = rewrite_json(text,
                          [](const std::string& path, std::string_view,
                             std::string_view raw) -> std::optional<std::string> {
                            if (path != "/access_token") return {};
                            std::string said(raw);
                            std::ranges::replace(said, ':', '-');
                            return said;
                          });
    f.body = std::make_shared<const std::string>(std::move(text));
  }
  end(p);
  caf::anon_send(p.asker, std::move(f));
}

void played_network::tell_made_up(playing& p) {
  fetched f;
  f.id = p.what->id;
  const auto asked = text_of(*p.what);
  const auto id = json::member(asked, "id");
  if (p.how == likeness::nowhere) {
    f.end = fetch_end::connect_failed;
    f.obstacle = obstacle::unreachable;
    f.why = "it was not in the recording";
  } else if (id.empty()) {
    f.status = p.what->method == verb::get ? 405 : 202;
  } else {
    f.status = 200;
    f.media = media::json;
    const bool call = p.subject.starts_with("tools/call");
    f.body = std::make_shared<const std::string>(
        R"({"jsonrpc":"2.0","id":)" + std::string(id) +
        (call ? R"(,"result":{"content":[{"type":"text","text":"not in the recording"}]}})"
              : R"(,"error":{"code":-32601,"message":"not in the recording"}})"));
  }
  end(p);
  caf::anon_send(p.asker, std::move(f));
}

void played_network::abandon(std::uint64_t id, const fetch_client& asker) {
  const auto it = under_way_.find({asker->id(), id});
  if (it == under_way_.end()) return;
  const auto p = it->second;
  end(*p);
}

playing_egress::playing_egress(caf::actor_config& cfg, std::shared_ptr<played_network> net,
                               std::size_t unit)
    : egress_handle::extend<caf::reacts_to<word_due>>::base(cfg),
      net_(std::move(net)),
      unit_(unit) {}

playing_egress::behavior_type playing_egress::make_behavior() {
  return {
      [this](start_fetch& m) {
        auto p = std::make_shared<playing>();
        p->what = m.what;
        p->asker = m.asker;
        for (const auto& word : net_->start(p, unit_)) {
          if (word.after.count() == 0)
            net_->tell(*p, word.event);
          else
            delayed_send(this, word.after, word_due{p, word.event});
        }
      },
      [this](const abandon_fetch& m) { net_->abandon(m.id, m.asker); },
      [this](const word_due& m) { net_->tell(*m.to, m.event); },
  };
}

}  // namespace gate::replay
