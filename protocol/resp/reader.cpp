#include "protocol/resp/reader.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "protocol/http/ascii.hpp"

namespace gate::resp {
namespace {

/// Verbatim strings begin with what they are: `txt:`.
constexpr std::size_t verbatim_mark = 4;
/// What a long reply took is given back.
constexpr std::size_t roomy = 256 * 1024;

template <class N>
bool read_whole(std::string_view text, N& out) {
  const auto end = text.data() + text.size();
  const auto got = std::from_chars(text.data(), end, out);
  return !text.empty() && got.ec == std::errc{} && got.ptr == end;
}

/// A byte as a person can read it.
std::string shown(char c) {
  if (c > 0x20 && c < 0x7f) return std::string("'") + c + '\'';
  return "byte " + std::to_string(static_cast<unsigned char>(c));
}

}  // namespace

void reader::take(std::string_view bytes) {
  if (!why_.empty()) return;
  // What is kept of an incomplete value is not moved until it is complete.
  if (complete_) {
    begin_ = at_;
    complete_ = false;
    nodes_.clear();
    elements_ = 0;
  }
  if (nodes_.empty() && open_.empty() && begin_ > 0) {
    if (begin_ == kept_.size() && kept_.capacity() > roomy)
      std::string().swap(kept_);
    else
      kept_.erase(0, begin_);
    at_ -= begin_;
    seen_ = seen_ > begin_ ? seen_ - begin_ : 0;
    begin_ = 0;
  }
  kept_.append(bytes);
}

std::optional<value> reader::next() {
  if (!why_.empty()) return {};
  if (complete_) {
    begin_ = at_;
    complete_ = false;
    nodes_.clear();
    elements_ = 0;
  }
  while (!complete_)
    if (read_value() != step::done) return {};
  return value(nodes_.data(), kept_.data() + begin_);
}

reader::step reader::fail(std::string what) {
  why_ = std::move(what);
  std::string().swap(kept_);
  begin_ = at_ = seen_ = 0;
  nodes_.clear();
  open_.clear();
  return step::wrong;
}

reader::step reader::read_value() {
  if (bulk_) return finish_bulk();
  if (at_ == kept_.size()) return step::more;
  const char type = kept_[at_];
  if (std::string_view("+-:$*%~>_,#(=!|").find(type) == std::string_view::npos)
    return fail("a reply can not begin with " + shown(type));
  std::string_view line;
  if (const auto got = read_line(line); got != step::done) return got;
  return of_line(type, line);
}

reader::step reader::read_line(std::string_view& line) {
  const auto from = at_ + 1;
  seen_ = std::max(seen_, from);
  const auto end = kept_.find_first_of("\r\n", seen_);
  const bool whole = end != kept_.npos && end + 1 < kept_.size();
  seen_ = end == kept_.npos ? kept_.size() : end;
  if (seen_ - from > most_.line) return fail("a line is longer than it may be");
  if (seen_ - begin_ > most_.bytes) return fail("a reply is longer than it may be");
  if (end != kept_.npos && (kept_[end] == '\n' || (whole && kept_[end + 1] != '\n')))
    return fail("a line does not end as it should");
  if (!whole) return step::more;
  line = std::string_view(kept_).substr(from, end - from);
  at_ = seen_ = end + 2;
  return step::done;
}

reader::step reader::of_line(char type, std::string_view line) {
  const auto text = [&](kind what) {
    node n;
    n.kind = what;
    n.at = static_cast<std::size_t>(line.data() - kept_.data()) - begin_;
    n.size = line.size();
    return add(n);
  };
  switch (type) {
    case '+':
      return text(kind::text);
    case '-':
      return text(kind::error);
    case ':':
      return read_number(line);
    case ',':
      return read_real(line);
    case '(':
      return read_big_number(line);
    case '#': {
      if (line != "t" && line != "f") return fail("a truth that is neither t nor f");
      node n;
      n.kind = kind::truth;
      n.number = line == "t" ? 1 : 0;
      return add(n);
    }
    case '_':
      if (!line.empty()) return fail("a null with something in it");
      return add({});
    case '$':
    case '!':
    case '=':
      verbatim_ = type == '=';
      return read_bulk(type == '!' ? kind::error : kind::text, line);
    case '*':
      return begin_list(kind::list, line, 1);
    case '~':
      return begin_list(kind::set, line, 1);
    case '%':
      return begin_list(kind::map, line, 2);
    case '>':
      if (!open_.empty()) return fail("a push within another value");
      return begin_list(kind::push, line, 1);
    default:
      return begin_attribute(line);
  }
}

reader::step reader::read_number(std::string_view line) {
  node n;
  n.kind = kind::number;
  if (line.starts_with('+') && !line.starts_with("+-")) line.remove_prefix(1);
  if (!read_whole(line, n.number)) return fail("a number that is none, or too large");
  return add(n);
}

reader::step reader::read_real(std::string_view line) {
  node n;
  n.kind = kind::real;
  if (line.starts_with('+') && !line.starts_with("+-")) line.remove_prefix(1);
  if (!read_whole(line, n.real)) return fail("a real number that is none, or too large");
  return add(n);
}

reader::step reader::read_big_number(std::string_view line) {
  node n;
  n.kind = kind::big_number;
  n.at = static_cast<std::size_t>(line.data() - kept_.data()) - begin_;
  n.size = line.size();
  const bool sign = line.starts_with('-') || line.starts_with('+');
  if (!http::all_digits(line.substr(sign ? 1 : 0))) return fail("a big number that is none");
  return add(n);
}

reader::step reader::read_bulk(kind what, std::string_view length) {
  if (length == "-1" && what == kind::text && !verbatim_) return add({});  // RESP2's null
  if (length.starts_with('?')) return fail("a string in pieces, which nobody asked for");
  if (!http::all_digits(length) || !read_whole(length, bulk_size_))
    return fail("a string whose length is no number");
  if (bulk_size_ > most_.bytes || at_ - begin_ > most_.bytes - bulk_size_)
    return fail("a reply is longer than it may be");
  if (verbatim_ && bulk_size_ < verbatim_mark) return fail("a verbatim string without its kind");
  bulk_ = what;
  return finish_bulk();
}

reader::step reader::finish_bulk() {
  if (kept_.size() - at_ < bulk_size_ + 2) return step::more;
  const auto end = at_ + bulk_size_;
  if (kept_[end] != '\r' || kept_[end + 1] != '\n')
    return fail("a string is not as long as it says");
  if (verbatim_ && kept_[at_ + verbatim_mark - 1] != ':')
    return fail("a verbatim string without its kind");
  const auto mark = verbatim_ ? verbatim_mark : 0;
  node n;
  n.kind = *bulk_;
  n.at = at_ + mark - begin_;
  n.size = bulk_size_ - mark;
  at_ = seen_ = end + 2;
  bulk_.reset();
  return add(n);
}

reader::step reader::counted(std::string_view text, std::size_t each, std::size_t& count) {
  if (text.starts_with('?')) return fail("a list in pieces, which nobody asked for");
  if (!http::all_digits(text) || !read_whole(text, count))
    return fail("a list whose length is no number");
  const auto room = most_.elements - std::min(elements_, most_.elements);
  if (count > room / each) return fail("a reply has more parts than it may have");
  count *= each;
  if (count > 0 && open_.size() >= most_.depth) return fail("a reply is deeper than it may be");
  elements_ += count;
  return step::done;
}

reader::step reader::begin_list(kind what, std::string_view count, std::size_t each) {
  if (count == "-1" && what == kind::list) return add({});  // RESP2's other null
  std::size_t children = 0;
  if (const auto ok = counted(count, each, children); ok != step::done) return ok;
  node n;
  n.kind = what;
  n.children = static_cast<std::uint32_t>(children);
  if (children == 0) return add(n);
  open_.push_back({nodes_.size(), children, false});
  nodes_.push_back(n);
  return step::done;
}

/// What it holds is read as everything else, and forgotten; the value that it is about follows.
reader::step reader::begin_attribute(std::string_view count) {
  std::size_t values = 0;
  if (const auto ok = counted(count, 2, values); ok != step::done) return ok;
  // Each counts, also an empty one: no value would ever come behind an endless row of them.
  if (++elements_ > most_.elements) return fail("a reply has more parts than it may have");
  if (values > 0) open_.push_back({nodes_.size(), values, true});
  return step::done;
}

reader::step reader::add(node n) {
  nodes_.push_back(n);
  close();
  return step::done;
}

void reader::close() {
  while (!open_.empty()) {
    auto& last = open_.back();
    if (--last.left > 0) return;
    const auto ended = last;
    open_.pop_back();
    if (ended.attribute) return nodes_.resize(ended.node);
    nodes_[ended.node].nodes = nodes_.size() - ended.node;
  }
  complete_ = true;
}

reply_ptr parse(std::string_view text) {
  reader r;
  r.take(text);
  const auto v = r.next();
  if (!v || r.size() != text.size()) throw std::invalid_argument("no value: " + r.why());
  return std::make_shared<const reply>(*v);
}

}  // namespace gate::resp
