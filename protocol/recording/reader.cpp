#include "protocol/recording/reader.hpp"

#include <string>
#include <utility>

#include "protocol/limits/playback.hpp"
#include "protocol/recording/parse.hpp"
#include "protocol/recording/shapes.hpp"

namespace gate::recording {
namespace {

problem amiss(std::string what) {
  return {std::move(what)};
}

std::string line_text(std::uint64_t line) {
  return "line " + std::to_string(line);
}

/// "request 7 of unit 0"
std::string subject_of(const event& e) {
  const auto of = series_of(e.what);
  return std::string(of == series::store   ? "store operation "
                     : of == series::fetch ? "fetch "
                                           : "request ") +
         std::to_string(e.number) + " of unit " + std::to_string(e.unit);
}

std::string kind_text(const event& e) {
  return '`' + std::string(row(e.what).name) + '`';
}

/// Does it begin a request or a fetch?
bool begins(kind k) {
  return k == kind::request || k == kind::fetch || k == kind::asked;
}

/// The answer to one, whole or its beginning: there is no second.
bool answers(kind k) {
  return k == kind::answer || k == kind::stream || k == kind::moved || k == kind::fetched ||
         k == kind::told;
}

std::optional<problem> check_units(const event& e, std::uint64_t units) {
  if (e.unit >= units)
    return amiss("is of unit " + std::to_string(e.unit) +
                 ", and the first line says that there are " + std::to_string(units) + ", from 0");
  if (e.what == kind::moved && e.to >= units)
    return amiss("moves to unit " + std::to_string(e.to) +
                 ", and the first line says that there are " + std::to_string(units) + ", from 0");
  if (e.what == kind::answer && (e.status < 100 || e.status > 999))
    return amiss("has a `status` that HTTP does not have: " + std::to_string(e.status));
  return {};
}

}  // namespace

problem at_line(std::uint64_t line, std::string_view what) {
  return {line_text(line) + ": " + std::string(what)};
}

reader::lives& reader::lives_of(const event& e) {
  const auto of = series_of(e.what);
  return (of == series::store ? operations_ : of == series::fetch ? fetches_ : requests_)[e.unit];
}

std::optional<problem> reader::begin(const event& e, const lives& all) const {
  if (const auto before = all.find(e.number); before != all.end())
    return amiss("begins " + subject_of(e) + ", which began at " + line_text(before->second.line) +
                 "; a number is used once: one of the two lines was added or changed");
  if (all.size() >= limits::playback_numbers)
    return amiss("is one request or fetch more than can be read of a unit (" +
                 std::to_string(limits::playback_numbers) + ")");
  return {};
}

std::optional<problem> reader::go_on(const event& e, life& l) const {
  const auto now = lines_ + 1;
  if (answers(e.what)) {
    if (l.stage != stage::begun)
      return amiss(kind_text(e) + " answers " + subject_of(e) + ", which line " +
                   std::to_string(l.latest) + " has answered; one of the two was added");
    l.stage = e.what == kind::stream ? stage::streams : stage::over;
    l.latest = now;
    return {};
  }
  if (e.what != kind::sent && e.what != kind::ended) return {};
  if (l.stage != stage::streams)
    return amiss(kind_text(e) + " is of a stream, and " + subject_of(e) + " has " +
                 (l.stage == stage::begun ? "none: its `stream` is missing"
                                          : "none any more since " + line_text(l.latest)));
  if (e.what == kind::ended) {
    l.stage = stage::over;
    l.latest = now;
  }
  return {};
}

std::optional<problem> reader::note(const event& e) {
  if (auto bad = check_units(e, first_->units)) return bad;
  if (auto bad = is_for_somebody(e)) return bad;
  const bool lasts = series_of(e.what) != series::none;
  life next{lines_ + 1, lines_ + 1, stage::begun};
  if (lasts)
    if (auto bad = live(e, next)) return bad;
  auto& latest = latest_[e.unit];
  // The operator wants things, and documents are read, beside what the unit does.
  const bool beside = e.what == kind::document || e.what == kind::reload;
  if (!beside && e.at < latest.at)
    return amiss("has `t` " + std::to_string(e.at) + ", which is before " + line_text(latest.line) +
                 " of the same unit (" + std::to_string(latest.at) +
                 "): lines are in another order, or were changed");
  if (lasts) lives_of(e).insert_or_assign(e.number, next);
  if (!beside) latest = {e.at, lines_ + 1};
  return {};
}

/// What is done for a request of a client, or said of it, is so of one that there was.
std::optional<problem> reader::is_for_somebody(const event& e) const {
  if (e.request == 0) return {};
  const auto unit = requests_.find(e.unit);
  if (unit != requests_.end() && unit->second.contains(e.request)) return {};
  return amiss(kind_text(e) + " is for request " + std::to_string(e.request) + " of unit " +
               std::to_string(e.unit) +
               ", which no line before it begins: lines are missing, or in another order");
}

std::optional<problem> reader::live(const event& e, life& next) {
  const auto& all = lives_of(e);
  if (begins(e.what)) return begin(e, all);
  const auto found = all.find(e.number);
  if (found == all.end())
    return amiss(kind_text(e) + " is of " + subject_of(e) +
                 ", which no line before it begins: lines are missing, or in another order");
  next = found->second;
  return go_on(e, next);
}

result<std::optional<event>> reader::take(std::string_view line) {
  std::optional<event> out(std::in_place);
  const auto taken = take(line, *out);
  if (!taken) return taken.error();
  if (!*taken) out.reset();
  return out;
}

std::optional<problem> reader::out_of_place(std::string_view line) const {
  const auto now = lines_ + 1;
  if (line.size() > limits::playback_line_bytes)
    return at_line(now, "is longer than " + std::to_string(limits::playback_line_bytes >> 20) +
                            " MiB, which no line of a recording is");
  if (line.empty()) return at_line(now, "is empty; delete it");
  if (end_ != ending::none)
    return at_line(now, "stands behind the last line of the recording, which says that it ends");
  return {};
}

result<bool> reader::take(std::string_view line, event& to) {
  if (auto bad = out_of_place(line)) return *bad;
  if (first_) return take(line, parse_line(line, to, memo_), to);
  auto p = parse_preamble(line);
  if (!p) return at_line(lines_ + 1, p.error().what);
  first_ = std::move(*p);
  ++lines_;
  return false;
}

result<bool> reader::take(std::string_view line, const result<gate::recording::ending>& said,
                          event& to) {
  if (auto bad = out_of_place(line)) return *bad;
  if (!said) return at_line(lines_ + 1, said.error().what);
  if (*said == ending::none)
    if (const auto bad = note(to)) return at_line(lines_ + 1, bad->what);
  end_ = *said;
  ++lines_;
  return end_ == ending::none;
}

}  // namespace gate::recording
