#include "simulations/replay/player.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "config/validate.hpp"
#include "protocol/http/request_gate.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/words.hpp"
#include "simulations/replay/audit_trail.hpp"
#include "simulations/replay/clock.hpp"
#include "simulations/replay/crossings.hpp"
#include "simulations/replay/key_names.hpp"
#include "simulations/replay/played_store.hpp"
#include "simulations/replay/races.hpp"
#include "simulations/replay/retelling.hpp"
#include "simulations/replay/sent_heads.hpp"
#include "simulations/replay/shown_tokens.hpp"
#include "simulations/replay/takeovers.hpp"
#include "simulations/replay/turns.hpp"
#include "simulations/world/world.hpp"

namespace gate::replay {
namespace {

using namespace sim;
using recording::event;
using recording::kind;

/// Behind the last event: what is still on its way arrives.
constexpr std::chrono::seconds epilogue{1};
constexpr std::string_view session_header = "Mcp-Session-Id";
/// Whoever waits for a session looks for it so often, in µs.
constexpr std::uint64_t look_again = 1000;

told told_by(const receipt& r) {
  told out;
  out.status = static_cast<std::uint64_t>(r.status);
  out.type = r.content_type;
  out.headers = header_lines(r.headers);
  out.body = r.body;
  out.streaming = r.streaming;
  out.stream = r.stream;
  out.over = r.done();
  out.dropped = r.dropped;
  return out;
}

http::defect flaw_of(std::string_view word) {
  if (word.empty()) return http::defect::none;
  return recording::enumerator(recording::flaws, word, http::defect::malformed);
}

/// Ids of keys that issuers publish in the recording.
std::set<std::string> published_keys(const tape& of) {
  std::set<std::string> out;
  for (const auto& e : of.events)
    if (e.what == kind::fetched && e.body && is_key_set(*e.body)) add_key_ids(*e.body, out);
  return out;
}

/// Variables that hold keys, by any document of the recording, and this one.
std::set<std::string, std::less<>> names_of_keys(const tape& of, std::string_view document) {
  std::set<std::string, std::less<>> out;
  add_key_names(of.head.config, out);
  add_key_names(document, out);
  const bool discovers = of.head.config.find("discovery") != std::string::npos;
  for (const auto& e : of.events) {
    if (e.what == kind::document) add_key_names(e.document, out);
    if (discovers && e.what == kind::fetched && e.body &&
        e.body->find("private_key_jwt") != std::string::npos)
      add_key_names(*e.body, out);
  }
  return out;
}

class player {
 public:
  player(const tape& of, const play_options& o, const deviations& by)
      : tape_(of),
        options_(o),
        odd_turns_(by.turns),
        issuer_(published_keys(of)),
        tokens_(of, issuer_, names_),
        network_(std::make_shared<played_network>(
            of, issuer_, [this] { return now(); },
            [this](std::string_view text) { return names_.restored(text); }, o.config.has_value())),
        takeovers_(of, by.late, [this](const event& e) { read(e); }),
        crossings_(of, [this](std::size_t v) { return receipts_[v] && receipts_[v]->done(); }),
        races_(lost_races(of)),
        store_(of, !o.config),
        receipts_(of.visits.size()),
        out_{} {
    out_.visits.resize(of.visits.size());
    for (const auto& [won, lost] : races_) late_.insert(lost.begin(), lost.end());
    for (std::size_t v = 0; v < of.visits.size(); ++v)
      if (const auto session = of.visits[v].was.header_of(session_header); !session.empty())
        minted_by_.emplace(session, v);
    world_options w;
    w.config = o.config ? *o.config : of.head.config;
    w.units = std::max<std::size_t>(1, of.head.units);
    w.met = false;
    w.one_trail = true;
    w.into_minute = std::chrono::microseconds(of.head.clock);
    w.every_secret = [this, keys = names_of_keys(of, w.config)](std::string_view name) {
      return std::optional(keys.contains(name) ? issuer_.private_key()
                                               : std::string(stand_in_issuer::secret));
    };
    w.egress = [this](caf::actor_system& system, std::size_t unit) {
      return egress_handle(system.spawn<playing_egress>(network_, unit));
    };
    if (!o.config && takeovers_.recorded())
      w.threshold = [this](caf::actor_system& system, std::size_t unit) {
        return takeovers_.threshold(system, unit);
      };
    store_.add_to(w);
    w.wall = [this, began = started_at(of.head.started)] {
      return began + std::chrono::microseconds(now());
    };
    mcp_path_ = config::load(w.config).doc.server.mcp_path;
    world_.emplace(std::move(w));
    began_ = world_->now();
  }

  played play() {
    while (reached_ < tape_.events.size()) {
      pass_until(tape_.events[reached_].at);
      const auto first = reached_, end = end_of_turn(tape_, first, odd_turns_);
      crossings_.begin(first, end);
      world_->hold(end > first + 1);
      for (; reached_ < end; ++reached_) act(reached_);
      world_->hold(false);
      world_->settle();
      crossings_.end(first, end);
    }
    takeovers_.finish();
    pass_until(now() + std::chrono::microseconds(epilogue).count());
    for (std::size_t v = 0; v < tape_.visits.size(); ++v) compare(v);
    out_.fetches = network_->differences();
    for (const auto i : network_->left()) {
      const auto& e = tape_.events[tape_.errands[i].fetch];
      out_.first_missing = std::min(out_.first_missing, e.at);
      out_.fetches.push_back({"sent to " + e.url,
                              subject_of(e.method, e.body.value_or(std::string{})) + ' ' +
                                  e.body.value_or(std::string{}),
                              {}});
    }
    out_.odd = network_->odd();
    out_.audit = world_->audit();
    out_.audits = compare_audits(recorded_audit(tape_), out_.audit,
                                 [this](std::string_view text) { return names_.renamed(text); });
    out_.virtual_us = now();
    out_.crossings = crossings_.found();
    return std::move(out_);
  }

 private:
  std::uint64_t now() {
    if (!world_) return 0;
    return static_cast<std::uint64_t>((world_->now() - began_) / std::chrono::microseconds(1));
  }

  void pass_until(std::uint64_t at) {
    while (!held_.empty() && now() < at) {
      const std::uint64_t left = at - now();
      world_->advance(std::chrono::microseconds(std::min<std::uint64_t>(left, look_again)));
      release();
    }
    if (const auto before = now(); at > before)
      world_->advance(std::chrono::microseconds(at - before));
  }

  /// A client that has not been told its session yet has nothing to ask in it. With another
  /// document that may take longer than it did.
  bool must_wait(std::size_t v) {
    const auto session = tape_.request_of(tape_.visits[v]).header_of(session_header);
    if (session.empty() || names_.of(session) != session) return false;
    const auto it = minted_by_.find(session);
    if (it == minted_by_.end() || !receipts_[it->second]) return false;
    const auto& r = *receipts_[it->second];
    if (!r.streaming && !r.done()) return true;
    learn(it->second);
    return false;
  }

  /// Those that may come now, in their order.
  void release() {
    for (const auto v : std::exchange(held_, {})) {
      come(v);
      const auto body = tape_.visits[v].body;
      if (receipts_[v] && body < reached_) bring_body(v);
    }
  }

  void act(std::size_t i) {
    const auto& e = tape_.events[i];
    const auto whose = tape_.whose[i];
    switch (e.what) {
      case kind::request:
        store_.come_to(i, world_->now());
        if (whose != nothing && tape_.visits[whose].request == i) come(whose);
        return;
      case kind::body:
        if (whose != nothing) bring_body(whose);
        return;
      case kind::gone:
        if (whose == nothing) return;
        std::erase(held_, whose);
        if (receipts_[whose]) world_->vanish(receipts_[whose]);
        return;
      case kind::answer:
        if (whose != nothing) learn(whose);
        return;
      case kind::stream:
      case kind::sent:
        if (whose != nothing) streams_.insert(whose);
        return;
      case kind::streamed:
      case kind::fetched:
        if (!takeovers_.is_late(i)) network_->come_to(i);
        return;
      case kind::document:
        if (!options_.config) takeovers_.document(e);
        return;
      case kind::adopted:
        if (!options_.config) take_over(i);
        return;
      case kind::turned:
        store_.turn(e);
        return;
      case kind::heard:
        store_.hear(e);
        return;
      case kind::stop:
        world_->stop();
        return;
      default:
        return;
    }
  }

  /// What lost a race comes behind what won it.
  void come(std::size_t v) {
    if (late_.contains(v)) return;
    if (must_wait(v)) {
      held_.push_back(v);
      return;
    }
    arrive(v);
    if (const auto won = races_.find(v); won != races_.end())
      for (const auto lost : won->second) arrive(lost);
  }

  void arrive(std::size_t v) {
    const auto& visit = tape_.visits[v];
    const auto& e = tape_.request_of(visit);
    learn_from_streams(e, tape_.body_of(visit));
    auto body = tokens_.body(visit);
    const auto& headers = e.headers.all();
    lines_.resize(headers.size());
    for (std::size_t i = 0; i < headers.size(); ++i) {
      const auto& h = headers[i];
      auto& line = lines_[i].assign(h.name).append(": ");
      if (http::same_name(h.name, "Authorization"))
        line += tokens_.authorization(visit, h.value, e.token);
      else if (http::same_name(h.name, "Content-Length") && visit.body == nothing && e.body)
        line += std::to_string(body.size());
      else
        line += names_.header(h.name, h.value);
    }
    const auto flaw = flaw_of(e.flaw);
    http_request request;
    request.head = heads_.of(verb_of(e.method), e.target, lines_, flaw != http::defect::none);
    request.body = std::move(body);
    request.body_follows = e.follows;
    request.flaw = flaw;
    const auto unit = std::min<std::size_t>(e.unit, tape_.head.units - 1);
    receipts_[v] = world_->arrive(std::move(request), unit, e.peer);
  }

  void bring_body(std::size_t v) {
    const auto& r = receipts_[v];
    if (!r || r->done() || !r->unread || !r->body_asked) return;
    world_->bring_body(r, flaw_of(tape_.events[tape_.visits[v].body].flaw));
  }

  void read(const event& e) {
    world_->write_config(e.document);
    world_->hang_up();
    world_->settle();
  }

  void take_over(std::size_t i) {
    takeovers_.adopted(std::min<std::size_t>(tape_.events[i].unit, tape_.head.units - 1));
    world_->settle();
    for (const auto word : takeovers_.told_behind(i)) network_->come_to(word);
  }

  void learn(std::size_t v) {
    if (!receipts_[v]) return;
    // It may come a little later than it did.
    if (!receipts_[v]->streaming && !receipts_[v]->done()) {
      streams_.insert(v);
      return;
    }
    contrasts unseen;
    names_.compare(tape_.visits[v].was, told_by(*receipts_[v]), surface_of(v), false, unseen);
  }

  /// What clients have been told on streams, when one comes that may give it back. (Not with each
  /// event: a stream may have many.)
  void learn_from_streams(const event& e, std::string_view body) {
    const bool answers = !body.empty() && json::member(body, "method").empty();
    const bool states = std::ranges::any_of(
        std::array{"requestState", "cursor", "taskId", "inputResponses"},
        [&](std::string_view member) { return body.find(member) != body.npos; });
    if (!answers && !states && e.header_of("Last-Event-ID").empty()) return;
    for (const auto v : std::exchange(streams_, {})) learn(v);
  }

  surface surface_of(std::size_t v) const {
    const auto& target = tape_.request_of(tape_.visits[v]).target;
    return target.substr(0, target.find('?')) == mcp_path_ ? surface::mcp : surface::endpoint;
  }

  void compare(std::size_t v) {
    auto& out = out_.visits[v];
    const auto& visit = tape_.visits[v];
    if (receipts_[v]) out.now = told_by(*receipts_[v]);
    out.compared = !visit.gone && (visit.was.over || visit.was.streaming);
    if (!out.compared) return;
    names_.compare(visit.was, out.now, surface_of(v), visit.was.over, out.differences);
  }

  const tape& tape_;
  const play_options& options_;
  const odd_turns& odd_turns_;
  stand_in_issuer issuer_;
  counterparts names_;
  shown_tokens tokens_;
  sent_heads heads_;
  std::vector<std::string> lines_;  ///< of the request at hand
  std::shared_ptr<played_network> network_;
  takeovers takeovers_;
  crossings crossings_;
  std::optional<world> world_;
  std::chrono::steady_clock::time_point began_;
  std::string mcp_path_;
  std::map<std::size_t, std::vector<std::size_t>> races_;  ///< by who won
  std::set<std::size_t> late_;                             ///< who lost
  played_store store_;
  std::vector<receipt_ptr> receipts_;
  std::set<std::size_t> streams_;                      ///< of which more was said than was learned
  std::map<std::string_view, std::size_t> minted_by_;  ///< sessions, and who was told them
  std::vector<std::size_t> held_;                      ///< visits that wait for theirs, in order
  std::size_t reached_ = 0;                            ///< the event at hand
  played out_;
};

}  // namespace

std::size_t played::differing() const {
  std::size_t out = fetches.size() + odd.size() + audits.size();
  for (std::size_t v = 0; v < visits.size(); ++v) out += differs(v) ? 1 : 0;
  return out;
}

std::uint64_t played::first_difference(const tape& of) const {
  auto out = first_missing;
  for (const auto& f : odd) out = std::min(out, f.at);
  for (std::size_t v = 0; v < visits.size(); ++v)
    if (differs(v)) out = std::min(out, of.visits[v].over_at);
  return out;
}

played play_once(const tape& of, const play_options& o, const deviations& by) {
  return player(of, o, by).play();
}

}  // namespace gate::replay
