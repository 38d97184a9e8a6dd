// WORK DESK: how a piece of work ends: with the upstream's answer, with none, or not yet.
#include "actors/upstream/list_pages.hpp"
#include "actors/upstream/spoken.hpp"
#include "actors/upstream/work_desk.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

/// Was nothing sent?
bool is_connect(fetch_end e) {
  return is_unreachable(e) || e == fetch_end::overloaded;
}

/// The request was too large for the server, in its body, target or header: that says nothing about
/// the server, and its client must not close the way for others.
constexpr bool is_too_much(int status) {
  return status == 413 || status == 414 || status == 431;
}

/// A call about a task that is another's than the client's of this session, which minted it: the
/// server may know that task in this session alone, so it is asked first, and the session ends
/// then. Not so where the task's end is waited for: that may be long.
bool outlasts_client(const work& w) {
  return w.kind == task::call && w.call.anywhere &&
         mcp::task_step_of(w.call.method) != mcp::task_step::awaits;
}

std::string method_of(const work& w) {
  return std::string(w.kind == task::call   ? w.call.method
                     : w.kind == task::list ? mcp::method_of(w.list.kind)
                                            : mcp::names::ping);
}

/// For its credential, which may not have come until now; null: it had one at once.
std::shared_ptr<const credential_wait> waited(const work& w, work::time_point now) {
  const auto& c = w.credential;
  if (c && c->until == work::time_point{}) c->until = now;
  return c;
}

listed answer_to_list(const work& w, const session_basics& s) {
  auto out = answer_to(w.list, s.of.config.index);
  out.upstream_calls = w.upstream_calls;
  out.credential = waited(w, s.now());
  return out;
}

/// What is too long is not kept for others.
void collect(work& w, std::string_view raw_result) {
  if (w.pages == 0) {
    w.raw = std::make_shared<raw_list>();
    w.raw_bytes = 0;
  }
  w.raw_bytes += raw_result.size();
  if (w.raw_bytes > limits::store_list_bytes) w.raw = nullptr;
  if (w.raw) w.raw->pages.emplace_back(raw_result);
}

/// What another instance has fetched is no list.
job begun_anew(work& w) {
  auto out = std::make_unique<work>(task::list);
  out->list = std::move(w.list);
  out->list.age = {};
  return out;
}

}  // namespace

// --- its fetch has ended -------------------------------------------------------------------------

void work_desk::ended(pending& p, const fetched& f) {
  if (p.answered) return by_.settle();
  if (f.end != fetch_end::complete) return broke_off(p, f);
  auto& w = *p.job;
  const bool arrived = p.place.was_resumed();  // then it is not sent again, whatever came of it
  if (by_.says_lost(p, f) && !arrived && retry(p.job)) return;
  if (!arrived && !w.retried && by_.renew_credential(f.status, w.shown) && retry(p.job)) return;
  if (f.body) {
    auto m = read_message(*f.body);
    if (m && m->kind == jsonrpc::kind::response && m->id == std::to_string(f.id))
      return answered(std::move(p.job), *m, f.body, is_busy(f));
  }
  if (f.status == 200 && f.media == media::events)
    s_.log.failed("ended its event stream before it had answered the request", {}, w.trace());
  else
    s_.log.failed("answered with something that is not the response to the request",
                  "HTTP " + std::to_string(f.status), w.trace());
  const bool refused = s_.credential.refused_by(f.status);
  // (Who shows no credential is told so, too: it may have been forgotten.)
  const bool no_entry = f.status == 401 || f.status == 403;
  fail(w, no_entry ? no_answer::credential_refused : no_answer::request_failed, false,
       refused || is_busy(f) || is_too_much(f.status) ? verdict::neutral : verdict::failure);
  by_.settle();
}

/// It ended without a whole answer.
void work_desk::broke_off(pending& p, const fetched& f) {
  auto& w = *p.job;
  const bool arrived = p.place.was_resumed();
  const bool connect = is_connect(f.end) && !arrived;
  if (connect) {  // nothing was sent, so nothing was asked, and what was paid still holds
    w.paid = bool(w.costs());
    if (w.counted()) {  // what a list's first page was charged is spent, whatever comes of others
      --w.upstream_calls;
      w.payment.spend(w.renews != work::renewal::none || (w.errand && w.errand->legs));
    }
  }
  const bool elsewhere = connect && by_.endpoint_lost(p, f.end);
  if ((elsewhere || (f.untouched && !connect && !arrived)) && retry(p.job)) return;
  s_.log.failed(connect ? "can not be reached" : "failed in the middle of a request", f.why,
                w.trace());
  // Too many requests wait for it here: that is no fault of the upstream.
  fail(w, connect ? no_answer::connect_failed : no_answer::request_failed, connect,
       f.end == fetch_end::overloaded ? verdict::neutral : verdict::failure);
  by_.settle();
}

// --- it is answered ------------------------------------------------------------------------------

void work_desk::answered(job w, const jsonrpc::message& m, std::shared_ptr<const std::string> text,
                         bool busy) {
  const auto how = busy ? verdict::neutral : verdict::success;
  s_.log.worked();
  if (w->guarded()) {
    s_.doors.count(outcome::ok);
    s_.doors.observe(s_.now() - w->began);
  }
  switch (w->kind) {
    case task::call:
      if (w->renews == work::renewal::fetching ||
          (w->renews == work::renewal::none && by_.lacks_tools(*w, m)))
        return tools_.renew(std::move(w), m, std::move(text));
      if (by_.asks_client(w, m) || by_.goes_on(w, m)) break;
      answer_call(*w, m, std::move(text));
      judge(*w, how);
      break;
    case task::list:
      if (m.error.empty()) return finish_list(std::move(w), m.result);
      if (mcp::row(w->list.kind).optional &&
          json::member(m.error, "code") == std::to_string(jsonrpc::method_not_found)) {
        const auto none = mcp::empty_list(mcp::shape(w->list.kind));
        return finish_list(std::move(w), none);
      }
      {
        auto failed = answer_to_list(*w, s_);
        failed.error = m.error;
        s_.doors.tell(std::move(failed));
      }
      judge(*w, how);  // an error is an answer
      break;
    case task::ping: {
      // Any answer is a sign of life, an error included.
      probed r{w->round,
               s_.of.config.index,
               true,
               std::chrono::duration_cast<std::chrono::microseconds>(s_.now() - w->began),
               {}};
      s_.doors.tell(w->asker, std::move(r));
      if (!busy) reached();
      break;
    }
    case task::look:
      by_.introduce(true, true);
      if (!busy) reached();
      break;
    case task::greet:
    case task::check:
      break;
  }
  by_.settle();
}

void work_desk::answer_call(work& w, const jsonrpc::message& m,
                            std::shared_ptr<const std::string> text) {
  by_.answered(w, m);
  gate::answered a;
  a.call = w.call.call;
  a.upstream = s_.of.config.index;
  a.what = m.error.empty() ? answer::result : answer::error;
  a.payload = m.error.empty() ? m.result : m.error;
  a.has = m.has;
  a.quotes_credential = a.what == answer::error && s_.credential.quoted_in(a.payload);
  a.usage = m.usage;
  a.task = m.task_id;
  if (!m.task_id.empty()) place_.minted();
  a.keep = std::move(text);
  a.upstream_calls = w.upstream_calls;
  const bool translated = w.errand && w.errand->translated && a.what == answer::result;
  a.by = translated ? mcp::other(w.errand->server) : by_.era();
  a.wrapped = w.tool && w.tool->wrapped;
  a.credential = waited(w, s_.now());
  s_.doors.tell(std::move(a));
}

/// Go on with the next page, or hand in the whole list.
void work_desk::finish_list(job w, std::string_view raw_result) {
  const bool kept = w->list.kept != nullptr;
  if (w->list.share) collect(*w, raw_result);
  const auto read =
      kept ? read_kept(*w, s_) : read_page(*w, raw_result, s_, {by_.era(), by_.makes_tasks()});
  if (kept && read == page_read::bad) return take(begun_anew(*w));
  if (read == page_read::bad) return fail(*w, no_answer::request_failed, false, verdict::failure);
  if (read == page_read::more) return send(std::move(w));
  auto whole = answer_to_list(*w, s_);
  whole.items = std::make_shared<const mcp::item_list>(std::move(w->items));
  if (!w->rest.empty()) whole.rest = std::make_shared<const mcp::list_rest>(std::move(w->rest));
  if (w->raw) {
    w->raw->era = by_.era();
    w->raw->makes_tasks = by_.makes_tasks();
    whole.raw = std::move(w->raw);
  }
  s_.doors.tell(std::move(whole));
  judge(*w, w->upstream_calls ? verdict::success : verdict::neutral);
  by_.settle();
}

void work_desk::goes_on(pending& p) {
  p.job->time.said(s_.now());
  works(*p.job);
}

// --- it is not answered --------------------------------------------------------------------------

void work_desk::fail(work& w, no_answer why, bool connect, verdict how) {
  // A probe is no request of anybody.
  if (w.guarded()) s_.doors.count(connect ? outcome::connect_error : outcome::error);
  // Others need not ask in vain as well, unless only its own time was over.
  if (w.renewal && why != no_answer::timed_out) w.renewal->failed();
  answer_nothing(w, why, nullptr);
  judge(w, how);
}

/// Whoever waits for it learns that there is no answer.
void work_desk::answer_nothing(work& w, no_answer why, std::shared_ptr<const refusal> refused) {
  switch (w.kind) {
    case task::call: {
      gate::answered a;
      a.call = w.call.call;
      a.upstream = s_.of.config.index;
      a.why = why;
      a.refused = std::move(refused);
      a.upstream_calls = w.upstream_calls;
      a.credential = waited(w, s_.now());
      s_.doors.tell(std::move(a));
      break;
    }
    case task::list: {
      auto nothing = answer_to_list(w, s_);
      nothing.refused = std::move(refused);
      s_.doors.tell(std::move(nothing));
      break;
    }
    case task::ping:
      s_.doors.tell(w.asker,
                    probed{w.round,
                           s_.of.config.index,
                           false,
                           {},
                           w.how.empty() ? std::string(to_string(why)) : std::move(w.how)});
      break;
    case task::greet:
    case task::look:
      by_.introduce(false, false);
      break;
    case task::check:
      by_.check_over(to_string(why));
      break;
  }
}

void work_desk::fail_waiting(no_answer why, bool connect, verdict how) {
  for (auto& w : s_.table.take_waiting())
    fail(*w, why, connect, how == verdict::failure ? blame(*w) : how);
}

work_desk::time_point work_desk::end_late_waiting(time_point now, waits_for what) {
  auto next = session_basics::never;
  for (auto& w : s_.table.take_late_waiting(now, next)) {
    s_.log.failed("did not finish the handshake within the request timeout",
                  "after " + std::to_string(s_.of.config.request.count()) + " ms", w->trace());
    fail(*w, no_answer::timed_out, true,
         what == waits_for::handshake ? blame(*w) : verdict::neutral);
  }
  for (auto& w : s_.table.take_late_charging(now, next))
    fail(*w, no_answer::timed_out, false, verdict::neutral);
  for (auto& w : s_.table.take_late_for_tools(now, next))
    fail(*w, no_answer::timed_out, false, verdict::neutral);
  return next;
}

void work_desk::late(std::uint64_t fetch, pending& p) {
  if (p.answered) return;  // all that mattered came long ago
  by_.tell_cancelled(fetch, p, R"("request timed out")");
  const auto lasted =
      std::chrono::duration_cast<std::chrono::milliseconds>(s_.now() - p.job->began);
  s_.log.failed("did not answer within its request timeout",
                method_of(*p.job) + ", after " + std::to_string(lasted.count()) + " ms",
                p.job->trace());
  fail(*p.job, no_answer::timed_out, false, verdict::failure);
}

void work_desk::silent(std::uint64_t fetch, pending& p) {
  by_.tell_cancelled(fetch, p, R"("request timed out")");
  s_.log.failed("fell silent in the middle of an answer", {}, p.job->trace());
  fail(*p.job, no_answer::timed_out, false, verdict::failure);
}

// --- ends from outside ---------------------------------------------------------------------------

void work_desk::cancel(const cancel_call& m) {
  if (auto taken = s_.table.take_call(m.call)) {
    s_.doors.abandon(taken.key());
    if (by_.tell_cancelled(taken.key(), taken.mapped(), m.reason)) return;
  } else {
    s_.table.drop_waiting(m.call);
  }
  by_.settle();
}

/// The client is gone: ROUTER has ended its calls, and nobody waits for answers. But calls about
/// its tasks may be others', which came over this session because it minted them.
void work_desk::cancel_all() {
  const auto end = [this](work& w) {
    if (w.kind == task::greet || w.kind == task::look || (w.kind == task::call && w.call.anywhere))
      fail(w, no_answer::request_failed, false, verdict::neutral);
  };
  for (auto& w : s_.table.take_waiting())
    outlasts_client(*w) ? s_.table.wait(std::move(w)) : end(*w);
  std::vector<job> unasked;
  s_.table.charging().erase_if([&](job& w) {
    if (outlasts_client(*w)) return false;
    unasked.push_back(std::move(w));
    return true;
  });
  for (auto& w : unasked) end(*w);
  for (auto& w : s_.table.take_for_tools()) end(*w);
  for (auto& taken : s_.table.take_works()) {
    auto& p = taken.mapped();
    if (!p.answered && outlasts_client(*p.job)) {
      s_.table.put_back(std::move(taken));
      continue;
    }
    s_.doors.abandon(taken.key());
    if (p.answered) continue;
    by_.tell_cancelled(taken.key(), p, R"("the client ended its session")");
    end(*p.job);
  }
}

}  // namespace gate::upstream
