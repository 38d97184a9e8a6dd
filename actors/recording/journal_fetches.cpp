// What passes EGRESS and STORE.
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
  known_head made{to, {}, {}, {}};
  redactor_.url(made.target, to->url.origin() + to->url.target);
  return urls_.emplace(to.get(), std::move(made)).first->second.target;
}

bool journal::start(const fetch& f, std::uint64_t number) {
  bool form = false;
  write(kind::fetch, number, [&](line& l) {
    if (f.request != 0) l.number(field::request, f.request);
    l.text(field::method, http::verbs::name(f.method));
    l.text(field::url, url_of(f.to));
    const auto* common = f.headers ? &lines_of(f.headers) : nullptr;
    form = (common && common->form) || (f.own_headers && is_form(content_type_in(*f.own_headers)));
    if (f.own_headers) {
      std::string all = common ? common->headers : "[]";
      all.pop_back();
      append_lines(all, *f.own_headers);
      all += ']';
      l.written_headers(field::headers, all);
    } else {
      l.written_headers(field::headers, common ? common->headers : "[]");
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

void journal::fetched(const gate::fetched& f, bool form, bool got) {
  write(kind::fetched, f.id, [&](line& l) {
    l.text(field::end, word(ends, f.end));
    if (f.obstacle != obstacle::none) l.text(field::obstacle, word(obstacles, f.obstacle));
    l.number(field::status, static_cast<std::uint64_t>(f.status));
    l.text(field::media, word(medias, f.media));
    if (!f.session_id.empty()) l.text(field::session, redactor_.session(f.session_id));
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

/// Numbers and short names stay: limits and circuits can be followed by them. The rest are records,
/// which are sealed, or lead to them.
void journal::append_word(std::string& out, std::string_view word) {
  constexpr std::size_t longest_name = 24;
  const bool readable = std::ranges::all_of(word, [](char c) { return c > ' ' && c < 0x7f; });
  json::append_quoted(
      out, word.size() <= longest_name && readable ? text(word) : redactor_.stand_in(word));
}

void journal::append_value(std::string& out, const resp::value& v) {
  using resp::kind;
  switch (v.kind()) {
    case kind::null:
      out += "null";
      return;
    case kind::number:
      out += std::to_string(v.number());
      return;
    case kind::truth:
      out += v.truth() ? "true" : "false";
      return;
    case kind::real:
      json::append_quoted(out, std::to_string(v.real()));
      return;
    case kind::text:
    case kind::big_number:
      return append_word(out, v.text());
    case kind::error:
      out += R"({"error":)";
      json::append_quoted(out, text(v.text()));
      out += '}';
      return;
    default:
      out += '[';
      auto one = v.first();
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (i > 0) {
          out += ',';
          one = one.next();
        }
        append_value(out, one);
      }
      out += ']';
  }
}

void journal::asked(const store_request& r, std::uint64_t number) {
  write(kind::asked, number, [&](line& l) {
    l.text(field::op, store_ops[static_cast<std::size_t>(r.op)]);
    std::string words = "[";
    if (r.script) json::append_quoted(words, r.script->digest);
    for (const auto* all : {&r.keys, &r.words})
      for (const auto& one : *all) {
        if (words.size() > 1) words += ',';
        append_word(words, one);
      }
    words += ']';
    l.json(field::words, words);
  });
}

void journal::told(const store_told& t) {
  write(kind::told, t.id, [&](line& l) {
    l.text(field::outcome, store_outcomes[static_cast<std::size_t>(t.outcome)]);
    if (!t.reply) return;
    std::string reply;
    append_value(reply, t.reply->root());
    l.json(field::reply, reply);
  });
}

void journal::turned(const store_turned& t) {
  write(kind::turned, 0, [&](line& l) { l.flag(field::here, t.here).flag(field::anew, t.anew); });
}

void journal::heard(const store_heard& h) {
  write(kind::heard, 0, [&](line& l) {
    l.text(field::channel, text(h.channel));
    l.text(field::text, text(h.text));
  });
}

}  // namespace gate::recording
