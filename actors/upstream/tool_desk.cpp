#include "actors/upstream/tool_desk.hpp"

#include "actors/upstream/list_pages.hpp"
#include "actors/upstream/spoken.hpp"
#include "actors/upstream/work_desk.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

/// The headers of a call are not those that the server wants: it went by an old list. That is
/// fetched, and the call then sent once more; unless somebody has fetched it meanwhile. If another
/// call fetches it, this one waits for that. Without a list, what the server has said first is the
/// answer.
void tool_desk::renew(job w, const jsonrpc::message& m, std::shared_ptr<const std::string> text) {
  if (w->renews == work::renewal::none) return begin(std::move(w), std::move(text));
  const auto read = m.error.empty() ? read_page(*w, m.result, s_, {by_.era(), by_.makes_tasks()})
                                    : page_read::bad;
  if (read == page_read::more) return desk_.send(std::move(w));
  if (read == page_read::bad) return refuse(*w);
  w->items.clear();
  // What clients were shown is as old.
  s_.doors.tell(list_changed{s_.of.config.index, mcp::list_kind::tools, false,
                             s_.of.config.per_client ? s_.who.client : 0, s_.who.principal});
  go_on(std::move(w));
}

void tool_desk::begin(job w, std::shared_ptr<const std::string> text) {
  w->refusal = std::move(text);
  if (s_.others.tools->version() != w->tools_known) return go_on(std::move(w));
  const auto& config = s_.of.config;
  const tool_renewals::whose list{config.per_caller ? s_.credential.caller_key() : 0,
                                  config.per_client ? s_.number : 0};
  w->renewal = std::make_unique<tool_renewals::place>(s_.others.renewals, list, s_.doors);
  w->renews = work::renewal::fetching;
  if (w->renewal->leads()) return desk_.wait_or_send(std::move(w));
  if (s_.table.queued() >= limits::session_backlog) {
    desk_.fail(*w, no_answer::request_failed, false, verdict::neutral);
    return by_.settle();
  }
  s_.table.wait_for_tools(std::move(w));
}

/// There is a list that is newer than the one by which it was sent.
void tool_desk::go_on(job w) {
  w->renews = work::renewal::done;
  w->renewal = nullptr;
  desk_.wait_or_send(std::move(w));
}

void tool_desk::refuse(work& w) {
  w.renews = work::renewal::done;
  if (w.renewal) w.renewal->failed();
  w.renewal = nullptr;
  const auto first = std::move(w.refusal);
  desk_.answer_call(w, *read_message(*first), first);
  desk_.judge(w, verdict::success);  // an error is an answer
  by_.settle();
}

void tool_desk::look() {
  using outlook = tool_renewals::place::outlook;
  auto all = s_.table.take_for_tools();
  if (all.empty()) return;
  s_.last_used = s_.now();
  for (auto& w : all) {
    if (s_.others.tools->version() != w->tools_known) {
      go_on(std::move(w));
      continue;
    }
    switch (w->renewal->look()) {
      case outlook::fetch:
        desk_.wait_or_send(std::move(w));
        break;
      case outlook::wait:
        s_.table.wait_for_tools(std::move(w));
        break;
      case outlook::none:
        refuse(*w);
        break;
    }
  }
  by_.settle();
}

}  // namespace gate::upstream
