// What passes EGRESS.
#include <algorithm>

#include "actors/recording/journal.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/http/verbs.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/words.hpp"

namespace gate::recording {

static_assert(ends.size() == static_cast<std::size_t>(fetch_end::redirected) + 1);
static_assert(obstacles.size() == static_cast<std::size_t>(obstacle::tls) + 1);
static_assert(medias.size() == static_cast<std::size_t>(media::other) + 1);
static_assert(flaws.size() == static_cast<std::size_t>(http::defect::crowded) + 1);

const std::string& journal::url_of(const std::shared_ptr<const destination>& to) {
  if (const auto at = urls_.find(to.get()); at != urls_.end()) return at->second.target;
  if (urls_.size() >= limits::recording_memo) urls_.clear();
  known_head made{to, {}, {}, {}, {}};
  redactor_.url(made.target, to->url.origin() + to->url.target);
  return urls_.emplace(to.get(), std::move(made)).first->second.target;
}

const journal::known_fetch& journal::fetch_of(const fetch& f) {
  auto& known = fetches_[f.headers.get()];
  if (known.to == f.to && known.headers == f.headers && known.method == f.method) return known;
  if (fetches_.size() > limits::recording_memo) {
    fetches_.clear();
    return fetch_of(f);
  }
  const auto* common = f.headers ? &lines_of(f.headers) : nullptr;
  known = {f.to, f.headers, f.method, {}, common && common->form};
  line(known.lead, kind::fetch)
      .text(field::method, http::verbs::name(f.method))
      .text(field::url, url_of(f.to))
      .written_headers(field::headers, common ? common->headers : "[]");
  return known;
}

bool journal::start(const fetch& f, std::uint64_t number) {
  bool form = false;
  write(kind::fetch, number, [&](line& l) {
    if (f.request != 0) l.number(field::request, f.request);
    if (f.own_headers) {
      const auto* common = f.headers ? &lines_of(f.headers) : nullptr;
      form = (common && common->form) || is_form(content_type_in(*f.own_headers));
      std::string all = common ? common->headers : "[]";
      all.pop_back();
      append_lines(all, *f.own_headers);
      all += ']';
      l.text(field::method, http::verbs::name(f.method));
      l.text(field::url, url_of(f.to));
      l.written_headers(field::headers, all);
    } else {
      const auto& known = fetch_of(f);
      form = known.form;
      l.members(known.lead);
    }
    joined_.assign(f.before).append(f.first).append(f.second).append(f.after);
    if (joined_.empty()) return;
    if (form) {
      kept_.clear();
      redactor_.form(kept_, joined_);
      l.bytes(field::body, kept_);
    } else {
      l.bytes(field::body, text(joined_));
    }
  });
  return form;
}

void journal::streamed(const gate::streamed& s) {
  write(kind::streamed, s.id, [&](line& l) {
    if (!s.session_id.empty()) l.text(field::session, redactor_.session(s.session_id));
    if (s.retry_ms) l.number(field::retry, *s.retry_ms);
    auto events = s.events;
    for (auto& e : events)
      for (auto* said : {&e.data, &e.id, &e.type})
        if (const auto kept = text(*said); kept.data() != said->data()) *said = kept;
    l.events(field::events, events);
  });
}

const std::string& journal::lead_of(const gate::fetched& f) {
  auto& known = result_;
  if (!known.lead.empty() && known.end == f.end && known.obstacle == f.obstacle &&
      known.status == f.status && known.media == f.media && known.session == f.session_id)
    return known.lead;
  known = {f.end, f.obstacle, f.status, f.media, f.session_id, {}};
  line l(known.lead, kind::fetched);
  l.text(field::end, word(ends, f.end));
  if (f.obstacle != obstacle::none) l.text(field::obstacle, word(obstacles, f.obstacle));
  l.number(field::status, static_cast<std::uint64_t>(f.status));
  l.text(field::media, word(medias, f.media));
  if (!f.session_id.empty()) l.text(field::session, redactor_.session(f.session_id));
  return known.lead;
}

void journal::fetched(const gate::fetched& f, bool form, bool got) {
  write(kind::fetched, f.id, [&](line& l) {
    l.members(lead_of(f));
    if (f.body && form) {
      kept_.clear();
      redactor_.token_answer(kept_, *f.body, true);
      l.bytes(field::body, kept_);
    } else if (f.body && got) {
      kept_.clear();
      redactor_.document(kept_, *f.body);
      l.bytes(field::body, kept_);
    } else if (f.body) {
      l.bytes(field::body, text(*f.body));
    }
    if (f.retry_ms) l.number(field::retry, *f.retry_ms);
    l.flag(field::untouched, f.untouched);
    if (f.retry_after) l.text(field::retry_after, text(f.retry_after_text));
    if (!f.why.empty()) l.text(field::why, text(f.why));
  });
}

}  // namespace gate::recording
