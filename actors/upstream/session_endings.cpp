// UPSTREAM SESSION: how a piece of work ends: with the upstream's answer, with none, or not yet.
#include "actors/upstream/session.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::upstream {
namespace {

constexpr std::string_view request_failed = "request failed";

}  // namespace

/// The upstream's answer to a piece of work.
void session::finish(job w, const jsonrpc::message& m, std::shared_ptr<const std::string> text,
                     bool busy) {
  const auto how = busy ? verdict::neutral : verdict::success;
  note_success();
  if (w->kind == task::call || w->kind == task::list) {
    shared_->ok.add();
    shared_->duration.observe(std::chrono::duration<double>(now() - w->began).count());
  }
  switch (w->kind) {
    case task::call: {
      if (!m.result.empty()) note_subscription(*w);
      answered a;
      a.call = w->call.call;
      a.upstream = shared_->config.index;
      a.what = m.error.empty() ? answer::result : answer::error;
      a.payload = m.error.empty() ? m.result : m.error;
      a.quotes_credential = a.what == answer::error && quotes_credential(a.payload);
      a.usage = m.usage;
      a.task = m.task_id;
      minted_ |= !m.task_id.empty();
      note_task(*w, m.task_id);
      a.keep = std::move(text);
      a.asked = w->asked;
      send(shared_->router, std::move(a));
      judge(*w, how);
      break;
    }
    case task::list:
      if (!m.error.empty()) {
        // Servers that declare resources need not know templates.
        if (w->list.kind == mcp::list_kind::templates &&
            json::member(m.error, "code") == std::to_string(jsonrpc::method_not_found))
          return finish_list(std::move(w), R"({"resourceTemplates":[]})");
        auto failed = answer_to_list(*w);
        failed.error = m.error;
        send(shared_->router, std::move(failed));
        judge(*w, how);  // an error is an answer
        break;
      }
      return finish_list(std::move(w), m.result);
    case task::ping: {
      // Any answer is a sign of life, an error included.
      probed r{w->round,
               shared_->config.index,
               true,
               std::chrono::duration_cast<std::chrono::microseconds>(now() - w->began),
               {}};
      send(w->asker, std::move(r));
      if (!busy) reached();
      break;
    }
    case task::look:
      introduce_server(true, true);
      if (!busy) reached();
      break;
    case task::greet:
    case task::check:
      break;
  }
  quit_when_done();
}

listed session::answer_to_list(const work& w) const {
  auto out = answer_to(w.list, shared_->config.index);
  out.asked = w.asked;
  return out;
}

/// One page came: go on with the next, or hand in the whole list.
void session::finish_list(job w, std::string_view raw_result) {
  std::size_t skipped = 0;
  auto page =
      mcp::read_list_page(raw_result, mcp::shape(w->list.kind), shared_->config.prefix, &skipped);
  if (!page) {
    note_failure("answered a list request with something else", page.error().what);
    return fail(*w, request_failed, false, verdict::failure);
  }
  if (skipped && !std::exchange(shared_->nameless, true))
    log::warn("An upstream lists items without a usable name; they are left out.",
              {{"upstream", shared_->config.id}, {"items", std::to_string(skipped)}});
  if (w->pages == 0) w->rest = std::move(page->rest);
  for (auto& item : page->items) {
    w->bytes += item.raw.size();
    w->items.push_back(std::move(item));
  }
  const bool stuck = page->more && page->next_cursor == w->cursor && w->pages > 0;
  if (++w->pages >= limits::list_pages || w->items.size() > limits::list_items ||
      w->bytes > limits::list_bytes || stuck) {
    if (page->more || w->bytes > limits::list_bytes) {
      note_failure("lists without end", std::to_string(w->pages) + " pages");
      return fail(*w, request_failed, false, verdict::failure);
    }
  }
  if (page->more) {
    w->cursor = std::move(page->next_cursor);
    return send_work(std::move(w));
  }
  auto whole = answer_to_list(*w);
  whole.items = std::make_shared<const mcp::item_list>(std::move(w->items));
  if (!w->rest.empty()) whole.rest = std::make_shared<const mcp::list_rest>(std::move(w->rest));
  send(shared_->router, std::move(whole));
  judge(*w, w->asked ? verdict::success : verdict::neutral);
  quit_when_done();
}

/// The request was surely not processed: once more, over a new session if the old one is lost.
bool session::retry(job& w) {
  if (w->retried || closing_) return false;
  w->retried = true;
  last_used_ = now();
  wait_or_send(std::move(w));
  return true;
}

void session::fail(work& w, std::string_view why, bool connect, verdict how) {
  // A probe is no request of anybody.
  if (w.guarded()) (connect ? shared_->connect_error : shared_->error).add();
  answer_nothing(w, why, nullptr);
  judge(w, how);
}

/// Whoever waits for it learns that there is no answer.
void session::answer_nothing(work& w, std::string_view why,
                             std::shared_ptr<const refusal> refused) {
  switch (w.kind) {
    case task::call: {
      answered a;
      a.call = w.call.call;
      a.upstream = shared_->config.index;
      a.why = why;
      a.refused = std::move(refused);
      a.asked = w.asked;
      send(shared_->router, std::move(a));
      break;
    }
    case task::list: {
      auto nothing = answer_to_list(w);
      nothing.refused = std::move(refused);
      send(shared_->router, std::move(nothing));
      break;
    }
    case task::ping:
      send(w.asker, probed{w.round,
                           shared_->config.index,
                           false,
                           {},
                           w.how.empty() ? std::string(why) : std::move(w.how)});
      break;
    case task::greet:
    case task::look:
      introduce_server(false);
      break;
    case task::check:
      check_over(why);
      break;
  }
}

}  // namespace gate::upstream
