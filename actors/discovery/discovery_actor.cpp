#include "actors/discovery/discovery_actor.hpp"

#include <algorithm>
#include <utility>

#include "protocol/http/bearer.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::discovery {
namespace {

/// How many upstreams a document names; of no use unless it is found to be good.
std::size_t count_upstreams(std::string_view text) {
  json::cursor c(json::member(text, "upstreams"), {.depth = limits::json_depth});
  std::size_t out = 0;
  json::elements(c, [&](json::cursor& inner) {
    inner.value(1);
    ++out;
  });
  return out;
}

/// The first of them on one line. Whoever wrote the document may have written at length.
std::string told(const std::vector<config::config_problem>& problems) {
  std::string out;
  for (std::size_t i = 0; i < std::min(problems.size(), limits::logged_problems); ++i) {
    auto line = config::to_line(problems[i]);
    if (line.size() > limits::logged_problem_bytes) {
      line.resize(limits::logged_problem_bytes);
      line += "...";
    }
    out += (out.empty() ? "" : "; ") + line;
  }
  return out;
}

}  // namespace

discovery_actor::discovery_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                 discovery_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)), question_(parts_.numbers_from) {
  auto to = std::make_shared<destination>();
  to->url = parts_.url;
  to->max_response_bytes = limits::discovery_bytes;
  to->redirects = false;  // the token is for this host only
  to_ = std::move(to);
}

discovery_actor::behavior_type discovery_actor::make_behavior() {
  poll();
  return {
      [this](const discovery_settled& m) { on_settled(m); },
      [this](const fetched& m) { on_fetched(m); },
      [this](const streamed& m) {
        if (m.id != fetch_ || state_ != state::fetching) return;
        // It may go on for ever.
        send(parts_.egress, abandon_fetch{fetch_, caf::actor_cast<fetch_client>(this)});
        failed("the answer is an event stream");
      },
      [this](const discovery_tick& m) { on_tick(m); },
  };
}

void discovery_actor::on_exit() {
  parts_.egress = nullptr;
  parts_.asker = nullptr;
}

void discovery_actor::poll() {
  ++fetch_;
  auto lines = headers();
  if (!lines) return;
  auto f = std::make_shared<fetch>();
  f->id = fetch_;
  f->to = to_;
  f->method = verb::get;
  f->headers = std::move(lines);
  f->repeatable = true;
  wait(state::fetching, limits::discovery_fetch);
  send(parts_.egress, start_fetch{std::move(f), caf::actor_cast<fetch_client>(this)});
}

std::shared_ptr<const std::string> discovery_actor::headers() {
  std::string out = "Accept: application/json\r\n";
  if (const auto& name = parts_.section.bearer_secret_ref) {
    const auto secret = parts_.secrets(*name);
    if (!secret) {
      failed("the environment variable " + *name + " is not set", "its secret is not set");
      return nullptr;
    }
    if (!http::can_be_bearer(*secret)) {
      failed("the environment variable " + *name + " holds what is not a bearer token",
             "its secret is not a bearer token");
      return nullptr;
    }
    out += "Authorization: Bearer " + *secret + "\r\n";
  }
  return std::make_shared<const std::string>(std::move(out));
}

void discovery_actor::on_fetched(const fetched& f) {
  if (f.id != fetch_ || state_ != state::fetching) return;
  if (f.end == fetch_end::too_large)
    return failed("the document is larger than " + std::to_string(limits::discovery_bytes) +
                  " bytes");
  if (f.end != fetch_end::complete) return failed(f.why.empty() ? "it was cut off" : f.why);
  if (f.status != 200) return failed("HTTP " + std::to_string(f.status));
  if (!f.body || f.media == media::events) return failed("the answer is an event stream");
  if (std::exchange(failing_, false))
    log::info("The discovery source can be read again.", {{"url", parts_.url.place()}});
  latest_ = digest_(*f.body);
  if (latest_ == applied_) {
    if (std::exchange(rejected_, std::nullopt))
      log::info("The discovery source says again what runs.", {{"url", parts_.url.place()}});
    note(sync_outcome::unchanged);
    return rest();
  }
  latest_upstreams_ = count_upstreams(*f.body);
  wait(state::settling, limits::discovery_settle);
  send(parts_.asker, discovered{++question_, *f.body});
}

void discovery_actor::on_settled(const discovery_settled& m) {
  if (state_ != state::settling || m.number != question_) return;
  using outcome = discovery_settled::outcome;
  switch (m.what) {
    case outcome::applied:
      log_applied();
      applied_ = latest_;
      rejected_.reset();
      note(sync_outcome::applied);
      break;
    case outcome::refused:
      if (!rejected_) log_rejected(m);  // once, until one is applied: it may differ at every poll
      rejected_ = latest_;
      // (What is wrong with it may quote it, secrets' names included: the log has that.)
      note(sync_outcome::rejected, "the document is refused, for " +
                                       std::to_string(m.problems.size()) +
                                       " problem(s) that the log names");
      break;
    case outcome::unjudged:
      log::info("The discovery document could not be judged; it is tried again.",
                {{"url", parts_.url.place()}, {"detail", told(m.problems)}});
      note(sync_outcome::error, "the document could not be judged");
      break;
  }
  rest();
}

void discovery_actor::log_applied() {
  log::info(rejected_ ? "The discovery document is applied, after one that was refused."
                      : "The discovery document is applied.",
            {{"url", parts_.url.place()}, {"upstreams", std::to_string(latest_upstreams_)}});
}

void discovery_actor::log_rejected(const discovery_settled& m) {
  log::warn(
      "The discovery document is refused as a whole; what runs goes on, and this document is not "
      "logged again.",
      {{"url", parts_.url.place()},
       {"problems", std::to_string(m.problems.size())},
       {"detail", told(m.problems)}});
}

void discovery_actor::on_tick(const discovery_tick& m) {
  if (m.number != tick_) return;
  switch (state_) {
    case state::resting:
      return poll();
    case state::fetching:
      send(parts_.egress, abandon_fetch{fetch_, caf::actor_cast<fetch_client>(this)});
      return failed("no answer within " + std::to_string(limits::discovery_fetch.count()) + " s");
    case state::settling:
      log::error("Nobody says whether the discovery document is applied: DISCOVERY begins anew.");
      note(sync_outcome::error, "nobody said whether the document is applied");
      return quit(caf::make_error(caf::sec::request_timeout));
  }
}

void discovery_actor::failed(std::string_view why, std::string_view told) {
  if (!std::exchange(failing_, true))
    log::warn(
        "The discovery source can not be read; what runs goes on, and further failures are not "
        "logged until it can.",
        {{"url", parts_.url.place()}, {"detail", std::string(why)}});
  note(sync_outcome::error, std::string(told.empty() ? why : told));
  rest();
}

void discovery_actor::note(sync_outcome what, std::string error) {
  parts_.syncs[what].add();
  send(parts_.asker, discovery_state{what, std::move(error)});
}

/// Until something happens, but no longer than that.
void discovery_actor::wait(state s, std::chrono::nanoseconds at_most) {
  state_ = s;
  delayed_send(this, at_most, discovery_tick{++tick_});
}

void discovery_actor::rest() {
  wait(state::resting, parts_.section.interval);
}

}  // namespace gate::discovery
