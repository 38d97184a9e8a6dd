#include "actors/upstream/session.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::upstream {
namespace {

constexpr std::string_view connect_failed = "connect failed";
constexpr std::string_view request_failed = "request failed";

bool is_connect(fetch_end e) {
  return e == fetch_end::connect_failed || e == fetch_end::connect_timeout ||
         e == fetch_end::overloaded;
}

std::string empty_list(mcp::list_kind k) {
  return R"({")" + std::string(mcp::shape(k).member) + R"(":[]})";
}

}  // namespace

/// `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`
std::string session::request_head(std::uint64_t id, std::string_view method) {
  std::string out;
  out.reserve(64 + method.size());
  out += R"({"jsonrpc":"2.0","id":)";
  out += std::to_string(id);
  out += R"(,"method":")";
  out += method;
  out += R"(","params":)";
  return out;
}

session::session(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared, role who,
                 upstream_actor parent, credentials_actor credentials)
    : pinned(cfg, unit),
      shared_(std::move(shared)),
      client_(who.client),
      as_(who.as),
      principal_(who.principal),
      parent_(std::move(parent)),
      credentials_(std::move(credentials)) {
  if (shared_->config.auth.strategy != config::auth_strategy::none)
    credential_until_ = time_point::min();
  if (client_) return;
  auto profile = std::make_shared<client_profile>();
  profile->capabilities = mcp::profile_capabilities(as_);
  profile_ = std::move(profile);
}

session::behavior_type session::make_behavior() {
  last_used_ = now();
  if (client_) {
    shared_->bridged.add(1);
    arm(last_used_ + limits::bridged_idle);
  } else if (principal_) {
    arm(last_used_ + limits::bridged_idle);
  }
  return {
      // Handlers are tried in this order: first what every call needs.
      [this](fetched& m) { on_fetched(m); },
      [this](invoke& m) {
        if (m.profile && !root()) profile_ = m.profile;
        meet(m.caller);
        work w;
        w.kind = task::call;
        w.call = std::move(m);
        take(std::move(w));
      },
      [this](const cancel_call& m) { cancel(m); },
      [this](client_reply& m) { on_reply(m); },
      [this](client_progress& m) {
        if (state_ == state::ready && m.session == name_of_session()) notice(std::move(m.text));
      },
      [this](profile_changed& m) { on_profile(std::move(m.profile)); },
      [this](const client_notice& m) {
        if (state_ == state::ready) notice(jsonrpc::request({}, m.method));
      },
      [this](const fetch_list& m) {
        meet(m.caller);
        work w;
        w.kind = task::list;
        w.list = m;
        take(std::move(w));
      },
      [this](const introduce& m) {
        meet(m.caller);
        work w;
        w.kind = task::greet;
        take(std::move(w));
      },
      [this](probe& m) {
        work w;
        w.kind = task::ping;
        w.round = m.round;
        w.asker = std::move(m.asker);
        take(std::move(w));
      },
      [this](const close_session& m) {
        closing_ = true;
        if (!m.finish_first) cancel_all();
        quit_when_done();
      },
      [this](streamed& m) { on_streamed(m); },
      [this](const session_tick& m) { on_tick(m.at); },
      [this](reopen_stream) { on_reopen(); },
      [this](credential_told& m) { take_credential(std::move(m)); },
      [this](credentials_replaced& m) {
        credentials_ = std::move(m.credentials);
        if (std::exchange(credential_asked_, false)) provide_credential();
      },
  };
}

void session::on_exit() {
  if (client_) shared_->bridged.add(-1);
  pending_.clear();
  backlog_.clear();
  parent_ = nullptr;
  credentials_ = nullptr;
  shared_ = nullptr;
}

// --- work ----------------------------------------------------------------------------------------

void session::take(work w) {
  w.began = last_used_ = now();
  w.deadline = w.began + shared_->config.request;
  if (w.kind == task::call && w.call.method == "tasks/result")
    w.deadline = std::max(w.deadline, w.began + limits::task_result);
  if (closing_ || backlog_.size() >= limits::session_backlog) return fail(w, request_failed, false);
  arm(w.deadline);
  wait_or_send(std::move(w));
}

void session::wait_or_send(work w) {
  const bool allowed = has_credential(last_used_);
  if (allowed && takes_work()) return send_work(std::move(w));
  backlog_.push_back(std::move(w));
  if (state_ == state::closed)
    open();
  else if (!allowed)
    provide_credential();
}

void session::send_work(work w) {
  const auto id = next_id_;
  // With the very token that its own request brought, if the upstream gets that.
  if (w.kind == task::call) meet(w.call.caller);
  if (w.kind == task::list) meet(w.list.caller);
  w.shown = credentials_shown_;
  switch (w.kind) {
    case task::call:
      undo_subscriptions(w);
      post(request_head(id, w.call.method), w.call.first, w.call.second,
           w.call.first.empty() ? "{}}" : "}", w.call.keep, false);
      break;
    case task::list: {
      // It declared none: an empty list, without asking.
      if (!agreed_.offers(w.list.kind)) return finish_list(std::move(w), empty_list(w.list.kind));
      auto text = request_head(id, mcp::method_of(w.list.kind));
      text += w.cursor.empty() ? "{}}" : "{\"cursor\":" + w.cursor + "}}";
      post(std::move(text), {}, {}, {}, {}, true);
      break;
    }
    case task::ping: {
      auto text = request_head(id, "ping");
      text += "{}}";
      post(std::move(text), {}, {}, {}, {}, true);
      break;
    }
    case task::greet:
      return introduce_server(true);
  }
  ++working_;
  ++w.asked;
  auto& p = pending_[id];
  p.kind = purpose::work;
  p.epoch = epoch_;
  p.job = std::move(w);
}

std::uint64_t session::post(std::string before, std::string_view first, std::string_view second,
                            std::string_view after, std::shared_ptr<const void> keep,
                            bool repeatable) {
  auto f = std::make_shared<fetch>();
  f->id = next_id_++;
  f->to = shared_->to;
  f->headers = headers_;
  f->before = std::move(before);
  f->first = first;
  f->second = second;
  f->after = after;
  f->keep = std::move(keep);
  f->repeatable = repeatable;
  const auto id = f->id;
  send(shared_->egress, start_fetch{std::move(f), caf::actor_cast<fetch_client>(this)});
  return id;
}

void session::notice(std::string text) {
  const auto id = post(std::move(text), {}, {}, {}, {}, true);
  expect(id, purpose::notice);
}

/// Remembers a fetch that carries no work; it has a deadline all the same.
void session::expect(std::uint64_t id, purpose k) {
  auto& p = pending_[id];
  p.kind = k;
  p.epoch = epoch_;
  p.job.deadline = now() + shared_->config.request;
  arm(p.job.deadline);
}

// --- what comes back -----------------------------------------------------------------------------

void session::on_fetched(fetched& f) {
  auto it = pending_.find(f.id);
  if (it == pending_.end()) return;  // abandoned
  if (it->second.place.known() && resume_later(it->second, f)) return;
  auto node = pending_.extract(it);
  auto& p = node.mapped();
  switch (p.kind) {
    case purpose::initialize:
      return on_initialize(f, f.body);
    case purpose::initialized:
      if (renew_credential(f.status, credentials_shown_) && begin_again()) return;
      if (f.end != fetch_end::complete || f.status >= 300)
        return open_failed(
            request_failed,
            "notifications/initialized was refused: HTTP " + std::to_string(f.status) + " " + f.why,
            false);
      return ready();
    case purpose::stream:
      return on_stream_end(f);
    case purpose::goodbye:
      return quit();
    case purpose::replay:
      // A refusal is about what was told, not about the session: that was opened a moment ago.
      return quit_when_done();
    case purpose::notice:
      if (f.end == fetch_end::complete && p.epoch == epoch_ && is_lost_session(f.status, {}))
        lose();
      if (greeting_) {
        greeting_->delivered(f.id);
        check_greeting();
      }
      return quit_when_done();
    case purpose::work:
      break;
  }
  --working_;
  if (p.answered) return quit_when_done();
  auto& w = p.job;
  const bool arrived = p.place.was_resumed();  // then it is not sent again, whatever came of it
  if (f.end != fetch_end::complete) {
    const bool connect = is_connect(f.end) && !arrived;
    if (f.untouched && !connect && !arrived && retry(w)) return;
    note_failure(connect ? "can not be reached" : "failed in the middle of a request", f.why);
    if (connect) w.asked = 0;
    fail(w, connect ? connect_failed : request_failed, connect);
    return quit_when_done();
  }
  const std::string_view body = f.body ? std::string_view(*f.body) : std::string_view{};
  if (f.status != 200 && is_lost_session(f.status, body)) {
    if (p.epoch == epoch_) lose();
    if (!arrived && retry(w)) return;
  }
  if (!arrived && !w.retried && renew_credential(f.status, w.shown) && retry(w)) return;
  if (f.body) {
    auto m = jsonrpc::read(body, {limits::upstream_json_depth, false});
    if (m && m->kind == jsonrpc::kind::response && m->id == std::to_string(f.id)) {
      return finish(p.job, *m, f.body);
    }
  }
  note_failure("answered with something that is not the response to the request",
               "HTTP " + std::to_string(f.status));
  fail(w, refuses_credential(f.status) ? credential_refused_words : request_failed, false);
  quit_when_done();
}

void session::on_streamed(streamed& s) {
  if (s.id == stream_id_ && greeting_) {
    greeting_->stream_settled(now());
    check_greeting();
  }
  for (auto& event : s.events) {
    auto it = pending_.find(s.id);
    if (it == pending_.end()) return;
    auto& p = it->second;
    auto& place = p.kind == purpose::stream ? stream_place_ : p.place;
    place.heard(event);
    place.told(s.retry_ms);
    // Of the answer's head: the stream may be gone on with before there is a session.
    if (p.kind == purpose::initialize && is_session_id(s.session_id)) session_id_ = s.session_id;
    if (event.data.empty()) {  // a priming event
      if (p.kind == purpose::work && p.job.kind == task::call && !p.answered)
        send(shared_->router, relayed{p.job.call.call, {}});
      continue;
    }
    if (!event.type.empty() && event.type != "message") continue;
    auto text = std::make_shared<const std::string>(std::move(event.data));
    if (p.kind == purpose::initialize) {
      fetched f;
      f.id = s.id;
      f.status = 200;
      f.session_id = s.session_id;
      auto read = jsonrpc::read(*text, {limits::upstream_json_depth, false});
      if (!read || read->kind != jsonrpc::kind::response) continue;
      p.kind = purpose::notice;
      linger(p);
      on_initialize(f, text);
      continue;
    }
    on_message(p, s.id, text);
  }
}

void session::on_message(pending& p, std::uint64_t id, std::shared_ptr<const std::string> text) {
  auto m = jsonrpc::read(*text, {limits::upstream_json_depth, false});
  if (!m) {
    note_failure("sent an event that is not JSON-RPC", m.error().what);
    return;
  }
  if (m->kind != jsonrpc::kind::response) return on_server_message(&p, *m, *text);
  if (p.kind != purpose::work || p.answered || m->id != std::to_string(id)) return;
  // The stream may stay open for a moment; the answer does not wait for its end.
  auto job = std::move(p.job);
  linger(p);
  finish(job, *m, std::move(text));
}

/// What matters of this stream has come. Servers end it then; one that does not is not waited for.
void session::linger(pending& p) {
  p.answered = true;
  p.job.call = {};  // its bytes went with the answer
  p.questions.clear();
  p.job.deadline = now() + limits::stream_linger;
  arm(p.job.deadline);
}

/// The upstream's answer to a piece of work.
void session::finish(work& w, const jsonrpc::message& m, std::shared_ptr<const std::string> text) {
  note_success();
  if (w.kind == task::call || w.kind == task::list) {
    shared_->ok.add();
    shared_->duration.observe(std::chrono::duration<double>(now() - w.began).count());
  }
  switch (w.kind) {
    case task::call: {
      if (!m.result.empty()) note_subscription(w);
      answered a;
      a.call = w.call.call;
      a.upstream = shared_->config.index;
      a.what = m.error.empty() ? answer::result : answer::error;
      a.payload = m.error.empty() ? m.result : m.error;
      a.quotes_credential = a.what == answer::error && quotes_credential(a.payload);
      a.usage = m.usage;
      a.task = m.task_id;
      minted_ |= !m.task_id.empty();
      a.keep = std::move(text);
      a.asked = w.asked;
      send(shared_->router, std::move(a));
      break;
    }
    case task::list:
      if (!m.error.empty()) {
        // Servers that declare resources need not know templates.
        if (w.list.kind == mcp::list_kind::templates &&
            json::member(m.error, "code") == std::to_string(jsonrpc::method_not_found))
          return finish_list(std::move(w), empty_list(w.list.kind));
        send(shared_->router,
             listed{w.list.fill, shared_->config.index, w.list.kind, nullptr, std::string(m.error),
                    w.list.as, w.list.client, w.list.principal});
        break;
      }
      finish_list(std::move(w), m.result);
      return;
    case task::ping: {
      // Any answer is a sign of life, an error included.
      probed r{w.round,
               shared_->config.index,
               true,
               std::chrono::duration_cast<std::chrono::microseconds>(now() - w.began),
               {}};
      send(w.asker, std::move(r));
      break;
    }
    case task::greet:
      break;
  }
  quit_when_done();
}

/// One page came: go on with the next, or hand in the whole list.
void session::finish_list(work w, std::string_view raw_result) {
  std::size_t skipped = 0;
  auto page =
      mcp::read_list_page(raw_result, mcp::shape(w.list.kind), shared_->config.prefix, &skipped);
  if (!page) {
    note_failure("answered a list request with something else", page.error().what);
    return fail(w, request_failed, false);
  }
  if (skipped)
    log::warn("An upstream lists items without a usable name; they are left out.",
              {{"upstream", shared_->config.id}, {"items", std::to_string(skipped)}});
  for (auto& item : page->items) {
    w.bytes += item.raw.size();
    w.items.push_back(std::move(item));
  }
  const bool stuck = page->more && page->next_cursor == w.cursor && w.pages > 0;
  if (++w.pages >= limits::list_pages || w.items.size() > limits::list_items ||
      w.bytes > limits::list_bytes || stuck) {
    if (page->more || w.bytes > limits::list_bytes) {
      note_failure("lists without end", std::to_string(w.pages) + " pages");
      return fail(w, request_failed, false);
    }
  }
  if (page->more) {
    w.cursor = std::move(page->next_cursor);
    return send_work(std::move(w));
  }
  send(shared_->router, listed{w.list.fill,
                               shared_->config.index,
                               w.list.kind,
                               std::make_shared<const mcp::item_list>(std::move(w.items)),
                               {},
                               w.list.as,
                               w.list.client,
                               w.list.principal});
  quit_when_done();
}

/// The request was surely not processed: once more, over a new session if the old one is lost.
bool session::retry(work& w) {
  if (w.retried || closing_) return false;
  w.retried = true;
  last_used_ = now();
  wait_or_send(std::move(w));
  return true;
}

void session::fail(work& w, std::string_view why, bool connect) {
  // A probe is no request of anybody.
  if (w.kind == task::call || w.kind == task::list)
    (connect ? shared_->connect_error : shared_->error).add();
  switch (w.kind) {
    case task::call: {
      answered a;
      a.call = w.call.call;
      a.upstream = shared_->config.index;
      a.why = why;
      a.asked = w.asked;
      send(shared_->router, std::move(a));
      break;
    }
    case task::list:
      send(shared_->router, listed{w.list.fill,
                                   shared_->config.index,
                                   w.list.kind,
                                   nullptr,
                                   {},
                                   w.list.as,
                                   w.list.client,
                                   w.list.principal});
      break;
    case task::ping:
      send(w.asker, probed{w.round, shared_->config.index, false, {}, std::string(why)});
      break;
    case task::greet:
      introduce_server(false);
      break;
  }
}

}  // namespace gate::upstream
