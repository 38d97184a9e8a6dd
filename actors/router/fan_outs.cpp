#include "actors/router/fan_outs.hpp"

#include <algorithm>

#include "actors/guards/refusals.hpp"
#include "actors/pipeline/target.hpp"
#include "actors/pipeline/tracing.hpp"
#include "actors/router/chain.hpp"
#include "actors/router/handed_calls.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

using namespace pipeline;
using row_state = fan_out::row::state;

namespace {

/// The caller's tasks at all upstreams, each once, by their ids.
class task_list final : public listing {
 public:
  task_list(std::unique_ptr<fan_out> of, std::vector<const mcp::list_item*> items,
            std::uint64_t principal, std::optional<std::uint64_t> page_size,
            std::vector<std::string> missing, mcp::merged_rest beside)
      : of_(std::move(of)),
        items_(std::move(items)),
        principal_(principal),
        page_size_(page_size),
        missing_(std::move(missing)),
        beside_(std::move(beside)) {
    std::ranges::stable_sort(items_, {}, &mcp::list_item::key);
    // (Not that of std::ranges: clang 14 can not read what it returns.)
    const auto same = [](auto* a, auto* b) { return a->key == b->key; };
    items_.erase(std::unique(items_.begin(), items_.end(), same), items_.end());
  }

  mcp::cursor_content identity() const override {
    mcp::cursor_content out;
    out.list = static_cast<std::uint8_t>(mcp::list_kind::tasks);
    out.principal = principal_;
    // By the ids alone: tasks change their status all the time.
    out.digest = mcp::digest_start;
    for (const auto* item : items_) out.digest = mcp::extend_digest(out.digest, item->key);
    return out;
  }

  std::optional<page> at(std::uint64_t offset) override {
    if (offset > items_.size()) return {};
    const auto end =
        std::min<std::uint64_t>(items_.size(), offset + page_size_.value_or(items_.size()));
    auto text = std::make_shared<std::string>(R"({")");
    text->append(mcp::shape(mcp::list_kind::tasks).member).append(R"(":[)");
    for (auto i = offset; i < end; ++i) {
      if (i != offset) *text += ',';
      *text += items_[i]->raw;
    }
    *text += ']';
    page out{std::move(text), end - offset, {}};
    if (end < items_.size()) out.next = end;
    return out;
  }

  bool partial() const override { return false; }
  std::string beside(bool first) const override {
    return std::string(first ? beside_.members() : std::string_view{}) +
           mcp::partial_failure(missing_, beside_.nested());
  }
  bool has_meta(bool first) const override { return first && beside_.meta(); }
  mcp::list_caching caching() const override { return beside_.caching(); }

 private:
  std::unique_ptr<fan_out> of_;  ///< keeps the items alive
  std::vector<const mcp::list_item*> items_;
  std::uint64_t principal_;
  std::optional<std::uint64_t> page_size_;
  std::vector<std::string> missing_;
  mcp::merged_rest beside_;
};

bool is_among(const std::vector<std::string>& ids, const std::string& id) {
  return std::ranges::find(ids, id) != ids.end();
}

/// Is there a task that its caller may be told of, as far as is known?
bool is_known(const call& c) {
  return c.route == route::task && c.found->verdict == tasks::verdict::unknown &&
         std::ranges::any_of(c.fan_out->rows, &fan_out::row::knows);
}

}  // namespace

void fan_outs::pin(const call& c, std::string_view raw_id) {
  mintings_.note_minted(c);
  minter::of(c, unit_).pin(unit_, raw_id);
}

bool fan_outs::hand_over(fact<stage::guard>& c) {
  return unit_.handed && c->found && unit_.handed->hand_over_task(c);
}

void fan_outs::find(fact<stage::rate_limit> c) {
  find_tasks question{{c->uri}, c->access()->task_owner()};
  const auto number = unit_.calls.put_aside(std::move(c), {partner::ledger});
  unit_.partners.find_tasks(number, std::move(question));
}

/// Asked before the look, and again before anything that it has found is told.
void fan_outs::found_one(call& c, const tasks_found& f) {
  auto finding = f.findings.front();
  const bool gone = std::ranges::none_of(
      c.snapshot->upstreams, [&](const auto& u) { return u.id == finding.place.upstream; });
  if (finding.verdict == tasks::verdict::own) {
    if (!gone) return go_to_owner(c, std::move(finding));
    finding.verdict = tasks::verdict::unknown;
  }
  c.found = std::move(finding);
  if (!c.fan_out)
    look(c);
  else
    unit_.calls.wait_for(c.number, {partner::fan_out, 0, c.fan_out->until});
  for (const auto& u : c.snapshot->upstreams)
    c.fan_out->rows[u.index].hidden = is_among(f.minting, u.id);
  // What was found by then is told, whoever hangs.
  if (c.fan_out->judged && is_known(c))
    finish(c);
  else
    note(c);
}

void fan_outs::go_to_owner(call& c, tasks::finding f) {
  // Sessions of another unit can not be reached from here; nor those of another instance, but the
  // caller's may have come from there.
  // (Where another can be asked, it knows the client by that number.)
  const bool named = f.place.instance != tasks::place{}.instance;
  if (named && unit_.handed && f.place.instance == unit_.handed->name())
    f.place.instance = {};
  else if (!named && f.place.unit == tasks::elsewhere)
    f.place.client = c.session->key;
  else if (!named && f.place.unit != unit_.number)
    f.place.client = 0;
  c.found = std::move(f);
  if (c.fan_out) give_up(c, unit_.now());
  c.fan_out.reset();
  go_on_routing(unit_, c.number);
}

void fan_outs::look(call& c) {
  begin(c);
  auto params =
      std::make_shared<const std::string>(R"({"taskId":)" + std::string(c.message.task_id) + "}");
  for (const auto& u : c.snapshot->upstreams) {
    if (!unit_.upstreams.there(u.index) || !c.view().reaches(u.index)) continue;
    invoke probe;
    probe.call = c.number;
    probe.client = c.session->key;
    probe.method = mcp::names::get_task;
    probe.first = *params;
    probe.named = std::string_view(*params).substr(11, c.message.task_id.size() - 2);
    probe.keep = params;
    probe.anywhere = true;
    probe.as = c.session->lists_as;
    probe.caller = c.caller_for(u);
    probe.per_minute = u.requests_per_minute;
    auto to = trace_to(c, u, probe.method);
    probe.trace = std::move(to.lines);
    if (to.span) to.span->dropped_as("cancelled");  // the first that knows it is enough
    c.fan_out->rows[u.index].span = std::move(to.span);
    probe.declares = c.declares;
    probe.probes = true;
    probe.request = c.arrived->number();
    probe.costs = unit_.prices.of(c.snapshot, u, c.access().get());
    unit_.upstreams.ask(u.index, std::move(probe));
  }
}

void fan_outs::gather(fact<stage::guard> c) {
  auto* it = &*c;
  unit_.calls.put_aside(std::move(c), {partner::fan_out});
  begin(*it);
  for (const auto& u : it->snapshot->upstreams) {
    if (!unit_.upstreams.there(u.index) || !it->view().reaches(u.index)) continue;
    ++it->ticket.notes().upstream_calls;
    it->fan_out->rows[u.index].advance = 1;
    fetch_list wanted;
    wanted.fill = it->number;
    wanted.kind = mcp::list_kind::tasks;
    wanted.as = it->session->lists_as;
    wanted.client = it->session->key;
    wanted.caller = it->caller_for(u);
    wanted.per_minute = u.requests_per_minute;
    auto to = trace_to(*it, u, mcp::names::list_tasks);
    wanted.trace = std::move(to.lines);
    wanted.span = std::move(to.span);
    wanted.costs = unit_.prices.of(it->snapshot, u, it->access().get());
    unit_.upstreams.tell(u.index, std::move(wanted));
  }
  note(*it);
}

/// Those that are not there at the moment have answered already.
void fan_outs::begin(call& c) {
  c.fan_out = std::make_unique<fan_out>();
  c.fan_out->until = unit_.now() + limits::list_deadline;
  unit_.calls.wait_for(c.number, {partner::fan_out, 0, c.fan_out->until});
  c.fan_out->rows.resize(c.snapshot->slots);
  for (auto& row : c.fan_out->rows) row.what = row_state::no;  // of numbers that are free
  for (const auto& u : c.snapshot->upstreams) {
    // Nobody is asked for a caller who may do nothing there.
    if (!c.view().reaches(u.index)) continue;
    c.fan_out->rows[u.index].what =
        unit_.upstreams.there(u.index) ? row_state::waiting : row_state::down;
  }
}

void fan_outs::on_answered(call& c, const answered& m) {
  if (m.upstream >= c.fan_out->rows.size()) return;
  auto& row = c.fan_out->rows[m.upstream];
  if (const auto span = std::exchange(row.span, nullptr))
    span->end(traces::end_of(m), m.credential.get());
  if (row.what != row_state::waiting) return;
  c.ticket.notes().upstream_calls += m.upstream_calls;
  c.ticket.notes().upstream_calls -= std::exchange(row.advance, 0);
  row.what = m.what == answer::result  ? row_state::yes
             : m.what == answer::error ? row_state::no
                                       : row_state::down;
  row.answer = m;
  row.answer.upstream_calls = 0;  // counted
  if (row.what == row_state::yes) c.fan_out->judged = false;
  note(c);
}

void fan_outs::on_listed(call& c, listed& m) {
  if (m.upstream >= c.fan_out->rows.size()) return;
  auto& row = c.fan_out->rows[m.upstream];
  if (row.what != row_state::waiting) return;
  c.ticket.notes().upstream_calls += m.upstream_calls;
  c.ticket.notes().upstream_calls -= std::exchange(row.advance, 0);
  row.what = m.items ? row_state::yes : row_state::down;
  row.items = std::move(m.items);
  row.rest = std::move(m.rest);
  row.error = std::move(m.error);
  row.refused = std::move(m.refused);
  note(c);
}

void fan_outs::on_delivered(const listed& m) {
  if (!m.items && !m.refused) late_[m.upstream].late = true;
  const auto at = late_.find(m.upstream);
  if (at == late_.end()) return;
  auto& list = at->second;
  if (m.items) list.late = false;
  if (list.call == m.fill) list.call = 0;
  if (list.is_over()) late_.erase(at);
}

/// The first in configuration order that knows the task has it, so earlier ones must have spoken.
void fan_outs::note(call& c) {
  if (!unit_.calls.waits_for(c.number, partner::fan_out)) return;  // TASKS is asked about the rest
  const bool known = is_known(c);
  for (const auto& u : c.snapshot->upstreams) {
    const auto& row = c.fan_out->rows[u.index];
    if (row.what == row_state::waiting) return;
    if (known && row.knows()) break;
  }
  finish(c);
}

void fan_outs::tick(time_point t) {
  mintings_.tick();
  for (const auto number : unit_.calls.waiting_for(partner::fan_out)) {
    auto& c = *unit_.calls.find(number);
    const bool over = unit_.calls.is_late(number, t) || !is_patient(c, t);
    if (over) give_up(c, t);
    if (over || is_known(c)) finish(c);
  }
  for (auto& [upstream, list] : late_) {
    if (list.call == 0 || list.until > t) continue;
    cancel(upstream, list.call, list.client);
    list.call = 0;
  }
  std::erase_if(late_, [](const auto& of) { return of.second.is_over(); });
}

bool fan_outs::is_late(std::size_t upstream) const {
  const auto at = late_.find(upstream);
  return at != late_.end() && at->second.late;
}

/// Is there anybody that is worth waiting for?
bool fan_outs::is_patient(const call& c, time_point t) const {
  if (c.route == route::task || c.fan_out->until - t > limits::list_deadline - limits::late_tasks)
    return true;
  return std::ranges::any_of(c.snapshot->upstreams, [&](const auto& u) {
    return c.fan_out->rows[u.index].what == row_state::waiting && !is_late(u.index);
  });
}

/// Nobody is waited for any longer, so nobody need go on.
void fan_outs::give_up(call& c, time_point t) {
  for (const auto& u : c.snapshot->upstreams) {
    auto& row = c.fan_out->rows[u.index];
    if (row.what != row_state::waiting) continue;
    row.what = row_state::down;
    leave(c, u.index, t);
  }
}

/// It is taken for hung, but what it says in the rest of its time shows that it is not.
void fan_outs::leave(const call& c, std::size_t upstream, time_point t) {
  if (c.route == route::tasks) {
    auto& list = late_[upstream];
    list.late = true;
    if (list.call == 0 && c.fan_out->until > t) {
      list = {true, c.number, c.session->key, c.fan_out->until};
      return;
    }
  }
  cancel(upstream, c.number, c.session->key);
}

void fan_outs::cancel(std::size_t upstream, std::uint64_t number, std::uint64_t client) {
  if (unit_.upstreams.there(upstream))
    unit_.upstreams.tell(upstream,
                         cancel_call{number, client, R"("nobody waits for it any more")", true});
}

void fan_outs::finish(call& c) {
  if (c.route == route::task) {
    if (!is_known(c) || c.fan_out->judged) return go_on_routing(unit_, c.number);
    c.fan_out->judged = true;
  }
  judge(c);
}

/// Whose tasks these are that upstreams know of.
void fan_outs::judge(call& c) {
  unit_.calls.wait_for(c.number, {partner::ledger});
  find_tasks question{{}, c.access()->task_owner()};
  if (c.route == route::task) {
    question.ids.push_back(c.uri);
    question.again = true;
  }
  for (const auto& u : c.snapshot->upstreams)
    if (const auto& row = c.fan_out->rows[u.index]; row.items)
      for (const auto& item : *row.items) question.ids.push_back(item.key);
  unit_.partners.find_tasks(c.number, std::move(question));
}

void fan_outs::on_found(std::uint64_t number, const tasks_found& f) {
  auto* c = unit_.calls.find(number);
  if (!c) return;
  if (c->route == route::task)
    found_one(*c, f);
  else
    serve(number, f);
}

/// Everything that is not, and can not be, somebody else's.
void fan_outs::serve(std::uint64_t number, const tasks_found& mine) {
  auto* c = unit_.calls.find(number);
  auto finding = mine.findings.begin();
  std::vector<const mcp::list_item*> items;
  std::vector<std::string> missing;
  mcp::merged_rest beside;
  auto fan_out = std::move(c->fan_out);
  for (const auto& u : c->snapshot->upstreams) {
    const auto& row = fan_out->rows[u.index];
    if (row.what == row_state::down) missing.push_back(u.id);
    if (!row.items) continue;
    bool whole = c->snapshot->passthrough;
    const bool hides = is_among(mine.minting, u.id);
    for (const auto& item : *row.items) {
      const auto& [verdict, place] = *finding++;
      // Its own of this id is elsewhere: this one is somebody else's.
      const bool anothers = verdict == tasks::verdict::own && place.upstream != u.id;
      const bool hidden = hides && verdict == tasks::verdict::unknown;
      if (verdict != tasks::verdict::foreign && !anothers && !hidden)
        items.push_back(&item);
      else
        whole = false;
    }
    beside.add(u.id, row.rest, whole);
  }
  list_outcome out{list_outcome::state::ready};
  if (!missing.empty() && std::ranges::none_of(fan_out->rows, [](const fan_out::row& r) {
        return r.items != nullptr;
      })) {
    out.what = list_outcome::state::all_down;
    for (const auto& id : missing) out.detail += (out.detail.empty() ? "" : ", ") + id;
    if (const auto& only = c->snapshot->upstreams.front(); c->snapshot->passthrough)
      if (const auto& error = fan_out->rows[only.index].error; !error.empty())
        out = {list_outcome::state::upstream_error, {}, error};
    if (auto no = guards::refused_by_all(*c->snapshot, *c->access(),
                                         [&](std::size_t i) { return fan_out->rows[i].refused; }))
      out = {list_outcome::state::refused, {}, {}, std::move(no)};
  } else {
    const auto size = c->snapshot->page_size;
    out.list =
        std::make_unique<task_list>(std::move(fan_out), std::move(items), c->session->principal,
                                    size, std::move(missing), std::move(beside));
  }
  go_on_with_list(unit_, number, std::move(out));
}

}  // namespace gate::routing
