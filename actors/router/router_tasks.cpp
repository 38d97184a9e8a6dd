// ROUTER: requests about tasks. TASKS knows who minted what where. A task that it does not know is
// asked for at all upstreams, by `tasks/get`, which changes nothing; then the request goes to the
// one that answered. A task of somebody else is asked for in the same way, and then is not there.
#include <algorithm>

#include "actors/guards/refusals.hpp"
#include "actors/pipeline/target.hpp"
#include "actors/router/router.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate {

using namespace pipeline;
using row_state = survey::row::state;

void router::pin_task(const call& c, std::string_view raw_id) {
  std::string id;
  if (raw_id.size() > limits::name_bytes || !json::unquote(raw_id, id)) return;
  send(parts_.tasks, gate::pin_task{std::move(id),
                                    c.session->access->task_owner(),
                                    {c.upstream->id, parts_.unit_number, c.via}});
}

void router::find_task(fact<stage::rate_limit> c) {
  find_tasks question{{c->uri}, c->access()->task_owner()};
  const auto number = put_aside(std::move(c), partner::ledger);
  request(parts_.tasks, caf::infinite, std::move(question))
      .then([this, number](const tasks_found& f) { on_tasks_found(number, f.findings.front()); },
            [this, number](const caf::error&) { do_without<partner::ledger>(number); });
}

void router::on_tasks_found(std::uint64_t number, tasks::finding f) {
  auto* c = calls_.find(number);
  if (!c) return;
  // Sessions of another unit can not be reached from here.
  if (f.place.unit != parts_.unit_number) f.place.client = 0;
  const bool gone = std::ranges::none_of(c->snapshot->upstreams,
                                         [&](const auto& u) { return u.id == f.place.upstream; });
  if (f.verdict == tasks::verdict::own && gone) f.verdict = tasks::verdict::unknown;
  c->found = std::move(f);
  if (c->found->verdict == tasks::verdict::own) return go_on_routing(number);
  begin_survey(*c);
  const auto trace = trace_of(*c);
  auto params =
      std::make_shared<const std::string>(R"({"taskId":)" + std::string(c->message.task_id) + "}");
  for (const auto& u : c->snapshot->upstreams) {
    if (!upstreams_[u.index] || !c->view().reaches(u.index)) continue;
    invoke probe;
    probe.call = number;
    probe.client = c->session->key;
    probe.method = "tasks/get";
    probe.first = *params;
    probe.keep = params;
    probe.anywhere = true;
    probe.as = c->session->lists_as;
    probe.caller = c->caller_for(u);
    probe.per_minute = u.requests_per_minute;
    probe.trace = trace;
    probe.costs = prices_.of(c->snapshot, u, c->access().get());
    send(upstreams_[u.index], std::move(probe));
  }
  surveyed(*c);
}

void router::gather_tasks(fact<stage::guard> c) {
  auto* it = &*c;
  put_aside(std::move(c), partner::survey);
  begin_survey(*it);
  const auto trace = trace_of(*it);
  for (const auto& u : it->snapshot->upstreams) {
    if (!upstreams_[u.index] || !it->view().reaches(u.index)) continue;
    ++it->ticket.notes().upstream_calls;
    it->survey->rows[u.index].advance = 1;
    fetch_list wanted;
    wanted.fill = it->number;
    wanted.kind = mcp::list_kind::tasks;
    wanted.as = it->session->lists_as;
    wanted.client = it->session->key;
    wanted.caller = it->caller_for(u);
    wanted.per_minute = u.requests_per_minute;
    wanted.trace = trace;
    wanted.costs = prices_.of(it->snapshot, u, it->access().get());
    send(upstreams_[u.index], std::move(wanted));
  }
  surveyed(*it);
}

/// Those that are not there at the moment have answered already.
void router::begin_survey(call& c) {
  calls_.wait_for(c.number, partner::survey);
  c.survey = std::make_unique<survey>();
  c.survey->deadline = now() + limits::list_deadline;
  c.survey->rows.resize(c.snapshot->slots);
  for (auto& row : c.survey->rows) row.what = row_state::no;  // of numbers that are free
  for (const auto& u : c.snapshot->upstreams) {
    // Nobody is asked for a caller who may do nothing there.
    if (!c.view().reaches(u.index)) continue;
    c.survey->rows[u.index].what = upstreams_[u.index] ? row_state::waiting : row_state::down;
  }
}

void router::on_surveyed(call& c, const answered& m) {
  if (m.upstream >= c.survey->rows.size()) return;
  auto& row = c.survey->rows[m.upstream];
  if (row.what != row_state::waiting) return;
  c.ticket.notes().upstream_calls += m.asked;
  c.ticket.notes().upstream_calls -= std::exchange(row.advance, 0);
  row.what = m.what == answer::result  ? row_state::yes
             : m.what == answer::error ? row_state::no
                                       : row_state::down;
  row.answer = m;
  row.answer.asked = 0;  // counted
  surveyed(c);
}

void router::on_surveyed(call& c, listed& m) {
  if (m.upstream >= c.survey->rows.size()) return;
  auto& row = c.survey->rows[m.upstream];
  if (row.what != row_state::waiting) return;
  c.ticket.notes().upstream_calls += m.asked;
  c.ticket.notes().upstream_calls -= std::exchange(row.advance, 0);
  row.what = m.items ? row_state::yes : row_state::down;
  row.items = std::move(m.items);
  row.rest = std::move(m.rest);
  row.error = std::move(m.error);
  row.refused = std::move(m.refused);
  surveyed(c);
}

/// The first in configuration order that knows the task has it, so earlier ones must have spoken.
void router::surveyed(call& c) {
  for (const auto& u : c.snapshot->upstreams) {
    const auto& row = c.survey->rows[u.index];
    if (row.what == row_state::waiting) return;
    const bool decides = c.course == course::task && row.what == row_state::yes &&
                         c.found->verdict == tasks::verdict::unknown;
    if (decides) break;
  }
  finish_survey(c.number);
}

/// Whoever hangs does not keep a task from its owner for long, nor a list.
void router::end_surveys(time_point t) {
  std::vector<std::uint64_t> due;
  calls_.for_each([&](const call& c) {
    if (!c.survey) return;
    const bool known = c.course == course::task && c.found->verdict == tasks::verdict::unknown &&
                       std::ranges::any_of(c.survey->rows, [](const survey::row& r) {
                         return r.what == row_state::yes;
                       });
    if (known || t >= c.survey->deadline) due.push_back(c.number);
  });
  for (auto number : due) finish_survey(number);
}

void router::finish_survey(std::uint64_t number) {
  auto* c = calls_.find(number);
  if (c->course == course::task) return go_on_routing(number);
  // Nothing that comes now is taken: whose the tasks are is asked once.
  for (auto& row : c->survey->rows)
    if (row.what == row_state::waiting) row.what = row_state::down;
  c->survey->deadline = time_point::max();
  calls_.wait_for(number, partner::ledger);
  find_tasks question{{}, c->access()->task_owner()};
  for (const auto& u : c->snapshot->upstreams)
    if (const auto& row = c->survey->rows[u.index]; row.items)
      for (const auto& item : *row.items) question.ids.push_back(item.key);
  request(parts_.tasks, caf::infinite, std::move(question))
      .then([this, number](const tasks_found& f) { serve_tasks(number, f); },
            [this, number](const caf::error&) { do_without<partner::ledger>(number); });
}

/// The page that the call asked for, of everything that is not somebody else's.
void router::serve_tasks(std::uint64_t number, const tasks_found& mine) {
  auto* c = calls_.find(number);
  if (!c) return;
  auto finding = mine.findings.begin();
  std::vector<const mcp::list_item*> items;
  std::vector<std::string> missing;
  mcp::merged_rest beside;
  const auto survey = std::move(c->survey);
  for (const auto& u : c->snapshot->upstreams) {
    const auto& row = survey->rows[u.index];
    if (row.what == row_state::down) missing.push_back(u.id);
    if (!row.items) continue;
    bool whole = c->snapshot->passthrough;
    for (const auto& item : *row.items) {
      const auto& [verdict, place] = *finding++;
      // Its own of this id is elsewhere: this one is somebody else's.
      const bool anothers = verdict == tasks::verdict::own && place.upstream != u.id;
      if (verdict != tasks::verdict::foreign && !anothers)
        items.push_back(&item);
      else
        whole = false;
    }
    beside.add(u.id, row.rest, whole);
  }
  list_outcome out{list_outcome::state::ready, {}, {}, 0, {}};
  if (!missing.empty() &&
      std::ranges::none_of(survey->rows, [](const survey::row& r) { return r.items != nullptr; })) {
    out.what = list_outcome::state::all_down;
    for (const auto& id : missing) out.detail += (out.detail.empty() ? "" : ", ") + id;
    if (const auto& only = c->snapshot->upstreams.front(); c->snapshot->passthrough)
      if (const auto& error = survey->rows[only.index].error; !error.empty())
        out = {list_outcome::state::upstream_error, {}, {}, 0, error};
    if (auto no = guards::refused_by_all(*c->snapshot, *c->access(),
                                         [&](std::size_t i) { return survey->rows[i].refused; }))
      out = {list_outcome::state::refused, {}, {}, 0, {}, std::move(no)};
  } else {
    out = tasks_page(*c, std::move(items));
    if (c->message.cursor.empty()) out.tail += beside.members();
    out.tail += mcp::partial_failure(missing, beside.nested());
  }
  go_on_with_page(number, std::move(out));
}

list_outcome router::tasks_page(const call& c, std::vector<const mcp::list_item*> items) const {
  std::ranges::stable_sort(items, {}, &mcp::list_item::key);
  const auto [first, last] = std::ranges::unique(items, {}, &mcp::list_item::key);
  items.erase(first, last);
  mcp::cursor_content list;
  list.list = static_cast<std::uint8_t>(mcp::list_kind::tasks);
  list.principal = c.session->principal;
  // By the ids alone: tasks change their status all the time.
  list.digest = mcp::digest_start;
  for (const auto* item : items) list.digest = mcp::extend_digest(list.digest, item->key);
  const auto from = offset_in(c, list);
  if (!from || *from > items.size()) return {list_outcome::state::bad_cursor, {}, {}, 0, {}};
  const auto end =
      std::min<std::uint64_t>(items.size(), *from + c.snapshot->page_size.value_or(items.size()));
  auto text = std::make_shared<std::string>(R"({"tasks":[)");
  for (auto i = *from; i < end; ++i) {
    if (i != *from) *text += ',';
    *text += items[i]->raw;
  }
  *text += ']';
  list_outcome out{list_outcome::state::ready, std::move(text), {}, end - *from, {}};
  if (end < items.size()) out.tail = next_page(list, end);
  return out;
}

}  // namespace gate
