#include "actors/recording/journal.hpp"

#include <algorithm>

#include "protocol/http/ascii.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/http/verbs.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/oauth/metadata.hpp"
#include "protocol/recording/words.hpp"
#include "transport/log.hpp"

namespace gate::recording {

bool is_form(std::string_view content_type) {
  constexpr std::string_view form = "application/x-www-form-urlencoded";
  return http::same_text(content_type.substr(0, form.size()), form);
}

journal::journal(common_ptr shared, std::uint64_t unit)
    : shared_(std::move(shared)), unit_(unit), redactor_(shared_->key, shared_->names) {
  for (const auto& h : shared_->headers) redactor_.know_header(h);
}

line journal::begin(kind what, std::uint64_t number) {
  if (const auto n = shared_->secrets->size(); n != secrets_known_) {
    for (const auto& one : shared_->secrets->from(secrets_known_)) redactor_.know(one);
    secrets_known_ = n;
  }
  if (redactor_.taught() != taught_) {
    taught_ = redactor_.taught();
    forget_what_is_known();  // it may stand there
  }
  const auto since = shared_->now() - shared_->began;
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  return {line_, json::text_writer::again{},
          what,  static_cast<std::uint64_t>(std::max<std::int64_t>(at, 0)),
          unit_, number};
}

void journal::forget_what_is_known() {
  for (auto* memo : {&heads_, &lines_, &urls_}) memo->clear();
  fetches_.clear();
  answer_.lead.clear();
  result_.lead.clear();
}

void journal::give_up(kind what, const char* why) {
  log::error("An event can not be recorded; the recording has ended, the gateway goes on.",
             {{"event", std::string(row(what).name)}, {"error", why}});
  shared_->file->give_up();
}

void journal::happened(kind what, std::uint64_t number) {
  write(what, number, [](line&) {});
}

std::string_view journal::text(std::string_view in) {
  return redactor_.text_in(kept_, in);
}

const journal::known_head& journal::head_of(const http::head_ptr& head) {
  if (const auto at = heads_.find(head.get()); at != heads_.end()) return at->second;
  if (heads_.size() >= limits::recording_memo) heads_.clear();
  known_head made{head, {}, "[", {}, {}, is_form(http::find(head->headers, "content-type")), false};
  made.mints =
      std::string_view(head->target).substr(0, head->target.find('?')) == oauth::token_path;
  redactor_.url(made.target, head->target);
  std::string value;
  for (const auto& h : head->headers) {
    value.clear();
    redactor_.header_value(value, h.name, h.value, made.mints);
    line::append_header(made.headers, text(h.name), value);
  }
  made.headers += ']';
  line(made.lead, kind::request)
      .text(field::method, http::verbs::name(head->method))
      .text(field::target, made.target)
      .written_headers(field::headers, made.headers);
  if (const auto bearer = http::read_bearer(head->headers); !bearer.token.empty())
    made.token = redactor_.token(bearer.token);
  return heads_.emplace(head.get(), std::move(made)).first->second;
}

std::string_view content_type_in(std::string_view lines) {
  while (!lines.empty()) {
    const auto one = lines.substr(0, lines.find("\r\n"));
    const auto colon = one.find(':');
    if (colon != std::string_view::npos && http::same_text(one.substr(0, colon), "content-type"))
      return http::trim(one.substr(colon + 1));
    lines.remove_prefix(std::min(one.size() + 2, lines.size()));
  }
  return {};
}

void journal::append_lines(std::string& out, std::string_view lines) {
  std::string value;
  while (!lines.empty()) {
    const auto end = std::min(lines.find("\r\n"), lines.size());
    const auto one = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 2, lines.size()));
    const auto colon = std::min(one.find(':'), one.size());
    value.clear();
    redactor_.header_value(value, one.substr(0, colon),
                           http::trim(one.substr(std::min(colon + 1, one.size()))));
    line::append_header(out, one.substr(0, colon), value);
  }
}

const journal::known_head& journal::lines_of(const std::shared_ptr<const std::string>& lines) {
  if (const auto at = lines_.find(lines.get()); at != lines_.end()) return at->second;
  if (lines_.size() >= limits::recording_memo) lines_.clear();
  known_head made{lines, {}, "[", {}, {}, is_form(content_type_in(*lines)), false};
  append_lines(made.headers, *lines);
  made.headers += ']';
  return lines_.emplace(lines.get(), std::move(made)).first->second;
}

void journal::append_credentials(line& l, std::string_view body) {
  kept_.clear();
  const auto begin = body.find_first_not_of(" \t\r\n");
  if (begin == body.npos || body[begin] != '{')
    redactor_.form(kept_, body);
  else if (json::validate(body) == json::fault::none)
    redactor_.token_answer(kept_, body, false);
  else
    kept_ = redactor_.stand_in(body);  // nobody knows what its parts are
  l.bytes(field::body, kept_);
}

bool journal::request(const exchange& e) {
  bool form = false;
  write(kind::request, e.number(), [&](line& l) {
    const auto& r = e.request();
    const auto& head = head_of(r.head);
    form = head.mints;
    l.text(field::peer, e.peer());
    l.members(head.lead);
    std::string_view token = head.token;
    std::string said;
    if (!r.body.empty() && (head.form || head.mints)) {
      append_credentials(l, r.body);
      said = redactor_.token_of_form(r.body);
      if (!said.empty()) token = said;
    } else if (!r.body.empty()) {
      l.bytes(field::body, text(r.body));
    }
    if (!token.empty()) l.json(field::token, token);
    l.flag(field::follows, r.body_follows).flag(field::arrives, r.on_its_way != nullptr);
    if (r.flaw != http::defect::none) l.text(field::flaw, word(flaws, r.flaw));
  });
  return form;
}

void journal::body(const exchange& e) {
  write(kind::body, e.number(), [&](line& l) {
    const auto& r = e.request();
    const auto& head = head_of(r.head);
    if (head.form || head.mints) {
      append_credentials(l, r.body);
      if (const auto said = redactor_.token_of_form(r.body); !said.empty())
        l.json(field::token, said);
    } else {
      l.bytes(field::body, text(r.body));
    }
    if (r.flaw != http::defect::none) l.text(field::flaw, word(flaws, r.flaw));
  });
}

const std::string& journal::lead_of(const response_head& head) {
  auto& known = answer_;
  if (!known.lead.empty() && known.status == head.status && known.type == head.content_type &&
      known.headers == head.headers)
    return known.lead;
  known = {head.status, std::string(head.content_type), std::string(head.headers), {}};
  std::string headers = "[";
  append_lines(headers, head.headers);
  headers += ']';
  line l(known.lead, kind::answer);
  l.number(field::status, static_cast<std::uint64_t>(head.status));
  if (!head.content_type.empty()) l.text(field::type, head.content_type);
  l.written_headers(field::headers, headers);
  return known.lead;
}

void journal::answer(std::uint64_t number, bool form, const response_head& head,
                     std::initializer_list<std::string_view> body) {
  write(kind::answer, number, [&](line& l) {
    l.members(lead_of(head));
    joined_.clear();
    for (const auto part : body) joined_ += part;
    if (form) {
      kept_.clear();
      redactor_.token_answer(kept_, joined_, false);
      l.bytes(field::body, kept_);
    } else if (!joined_.empty()) {
      l.bytes(field::body, text(joined_));
    }
    l.flag(field::close, head.close);
  });
}

void journal::stream(std::uint64_t number, std::string_view headers) {
  write(kind::stream, number, [&](line& l) {
    std::string all = "[";
    append_lines(all, headers);
    all += ']';
    l.written_headers(field::headers, all);
  });
}

void journal::sent(std::uint64_t number, std::string_view bytes) {
  write(kind::sent, number,
        [&](line& l) { l.bytes(field::data, redactor_.stream_in(kept_, bytes)); });
}

void journal::moved(std::uint64_t number, std::uint8_t to) {
  write(kind::moved, number, [&](line& l) { l.number(field::to, to); });
}

void journal::document(std::string_view text) {
  write(kind::document, 0, [&](line& l) {
    std::string kept;
    redactor_.document(kept, text);
    if (json::validate(kept) != json::fault::none) kept = json::quoted(kept);
    l.json(field::document, kept);
  });
}

void journal::audit(const gate::audit::event& e) {
  write(kind::audit, 0, [&](line& l) {
    joined_.clear();
    gate::audit::append_line(joined_, e);
    joined_.pop_back();  // LF
    if (e.request != 0) l.number(field::request, e.request);
    l.json(field::line, text(joined_));
  });
}

}  // namespace gate::recording
