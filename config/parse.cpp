#include "config/parse.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <type_traits>

#include "config/describe.hpp"
#include "config/options/nearest.hpp"
#include "config/text.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::config {
namespace {

namespace bj = boost::json;

std::string quoted(std::string_view word) {
  return '"' + std::string(word) + '"';
}

std::string_view type_of(const bj::value& v) {
  switch (v.kind()) {
    case bj::kind::null:
      return "null";
    case bj::kind::bool_:
      return "a boolean";
    case bj::kind::int64:
    case bj::kind::uint64:
      return "an integer";
    case bj::kind::double_:
      return "a number";
    case bj::kind::string:
      return "a string";
    case bj::kind::array:
      return "an array";
    case bj::kind::object:
      return "an object";
  }
  return "something else";
}

template <class T>
struct is_duration : std::false_type {};
template <class R, class P>
struct is_duration<std::chrono::duration<R, P>> : std::true_type {};

/// A number without a fraction, also when written `5e3` or `5.0`. Nothing if it has one, or does
/// not fit 64 bits.
std::optional<std::int64_t> whole(const bj::value& v) {
  if (auto* i = v.if_int64()) return *i;
  if (auto* d = v.if_double()) {
    if (std::nearbyint(*d) == *d && std::abs(*d) <= static_cast<double>(most_exact)) {
      return static_cast<std::int64_t>(*d);
    }
  }
  return std::nullopt;
}

/// What was found, for messages about numbers.
std::string found_number(const bj::value& v) {
  if (auto* d = v.if_double()) {  // Boost.JSON would print 1.5E0
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.begin(), text.end(), *d).ptr};
  }
  return v.is_number() ? bj::serialize(v) : std::string(type_of(v));
}

/// Names people try for things that deliberately are elsewhere: those of other programs' documents.
std::string_view elsewhere(std::string_view at, std::string_view key) {
  const auto is = [key](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, key) != names.end();
  };
  if (is({"stdio", "command", "args", "env"}))
    return "gate never runs processes: serve the program with gate-stdio and give its URL";
  if (is({"mcpServers", "servers"}))
    return "servers are listed in \"upstreams\", each with \"id\" and \"url\"";
  if ((at.empty() || at == "/server") && is({"port", "host"}))
    return "where gate listens is said on the command line: --port and --host";
  const bool upstream = at.starts_with("/upstreams/") && at.rfind('/') == 10;
  if (upstream && is({"type", "transport"}))
    return "every upstream speaks streamable HTTP: give its \"url\" only";
  if (upstream && is({"headers", "token", "apiKey"}))
    return "what an upstream is shown as a credential is its \"auth\", with a secret by its name";
  if (upstream && is({"port", "host"})) return "these are part of its \"url\"";
  return {};
}

/// Are there more problems than anybody reads? What follows is not told.
bool enough(const std::vector<config_problem>& problems) {
  return problems.size() >= limits::config_problems;
}

class reader {
 public:
  explicit reader(structure& out) : out_(out) {}

  template <described T>
  void read(const bj::value& v, const field&, const std::string& at, T& to) {
    auto* object = v.if_object();
    if (!object) return expected("an object", v, at);
    member_reader<T> members{*this, *object, at, to, {}};
    describe(members, of<T>{});
    unknown(*object, at, members.known);
  }

  void read(const bj::value& v, const field& f, const std::string& at, std::string& to) {
    auto* s = v.if_string();
    if (!s) return expected("a string", v, at);
    if (!fits(f.kind, *s)) return problem(at, std::string(demand(f.kind)));
    to.assign(s->data(), s->size());
  }

  void read(const bj::value& v, const field&, const std::string& at, bool& to) {
    if (!v.is_bool()) return expected("true or false", v, at);
    to = v.get_bool();
  }

  void read(const bj::value& v, const field& f, const std::string& at, std::int64_t& to) {
    auto n = whole(v);
    bool huge = v.is_uint64() || (v.is_double() && std::abs(v.get_double()) > 9e15);
    if (!n && !huge) return problem(at, "expected an integer, found " + found_number(v));
    // Requests for "the default" are common in generated documents.
    if (n && *n == 0 && f.nought == zero::is_default) return;
    if (!n || *n < f.least || *n > f.most) return out_of_bounds(found_number(v), f, at, to);
    to = *n;
  }

  template <class T>
  requires is_duration<T>::value void read(const bj::value& v, const field& f,
                                           const std::string& at, T& to) {
    auto count = static_cast<std::int64_t>(to.count());
    read(v, f, at, count);
    to = T(count);
  }

  void read(const bj::value& v, const field& f, const std::string& at, double& to) {
    if (!v.is_number()) return expected("a number", v, at);
    auto n = v.to_number<double>();
    if (!(n >= static_cast<double>(f.least) && n <= static_cast<double>(f.most))) {
      return problem(at, found_number(v) + " is out of bounds: " + std::to_string(f.least) +
                             " to " + std::to_string(f.most));
    }
    to = n;
  }

  template <class E>
  requires std::is_enum_v<E>
  void read(const bj::value& v, const field&, const std::string& at, E& to) {
    auto* s = v.if_string();
    std::string names;
    for (const auto& c : choices(of<E>{})) {
      if (s && c.name == std::string_view(*s)) {
        to = c.value;
        return;
      }
      names += (names.empty() ? "" : ", ") + quoted(c.name);
    }
    problem(at, "expected one of " + names + ", found " +
                    (s ? bj::serialize(v) : std::string(type_of(v))));
  }

  template <class T>
  void read(const bj::value& v, const field& f, const std::string& at, std::optional<T>& to) {
    read(v, f, at, to.emplace());
  }

  template <class T>
  void read(const bj::value& v, const field& f, const std::string& at, std::vector<T>& to) {
    auto* array = v.if_array();
    if (!array) return expected("an array", v, at);
    if (array->size() < f.min_items) {
      problem(at, "must not be empty: leave the field out, or give at least one entry");
    }
    if (array->size() > f.max_items) {
      return problem(at, std::to_string(array->size()) + " entries are too many: at most " +
                             std::to_string(f.max_items));
    }
    to.reserve(array->size());
    for (std::size_t i = 0; i < array->size(); ++i) {
      read((*array)[i], f, join_pointer(at, std::to_string(i)), to.emplace_back());
    }
  }

  template <class T>
  void read(const bj::value& v, const field& f, const std::string& at,
            std::map<std::string, T>& to) {
    auto* object = v.if_object();
    if (!object) return expected("an object", v, at);
    for (const auto& member : *object) {
      read(member.value(), f, join_pointer(at, member.key()), to[std::string(member.key())]);
    }
  }

  void read(const bj::value& v, const field&, const std::string& at, claim_value& to) {
    if (auto* s = v.if_string()) {
      to = std::string(*s);
    } else if (auto n = whole(v)) {
      to = *n;
    } else if (v.is_number()) {
      // Rounded, it would match tokens that say another number.
      if (v.is_uint64() || std::abs(v.to_number<double>()) > static_cast<double>(most_exact)) {
        return problem(at, found_number(v) + " is too large to be compared exactly");
      }
      to = v.to_number<double>();
    } else if (v.is_bool()) {
      to = v.get_bool();
    } else {
      expected("a string, number or boolean", v, at);
    }
  }

 private:
  /// The visitor of one section.
  template <class T>
  struct member_reader {
    reader& r;
    const bj::object& object;
    const std::string& at;
    T& to;
    std::vector<std::string_view> known;

    template <class M>
    void operator()(M T::*member, const field& f) {
      known.push_back(f.key);
      auto pointer = join_pointer(at, f.key);
      auto* v = object.if_contains(f.key);
      if (!v) {
        if (f.presence == need::required) r.problem(pointer, "required field is missing");
        return;
      }
      r.read(*v, f, pointer, to.*member);
    }
  };

  void problem(const std::string& at, std::string what) {
    if (enough(out_.problems))
      ++out_.untold;
    else
      out_.problems.push_back({at, std::move(what)});
  }

  void expected(std::string_view wanted, const bj::value& v, const std::string& at) {
    problem(at, "expected " + std::string(wanted) + ", found " + std::string(type_of(v)));
  }

  void out_of_bounds(const std::string& found, const field& f, const std::string& at,
                     std::int64_t standard) {
    auto what =
        found + " is out of bounds: " + std::to_string(f.least) + " to " + std::to_string(f.most);
    if (f.nought == zero::is_default && standard != 0) {
      what += ", or 0 for the default " + std::to_string(standard);
    }
    problem(at, std::move(what));
  }

  void unknown(const bj::object& object, const std::string& at,
               const std::vector<std::string_view>& known) {
    for (const auto& member : object) {
      std::string_view key = member.key();
      if (std::ranges::find(known, key) != known.end()) continue;
      if (enough(out_.problems)) {
        ++out_.untold;
        continue;
      }
      std::string what = "unknown field";
      if (auto hint = elsewhere(at, key); !hint.empty()) {
        what += "; " + std::string(hint);
      } else if (auto near = near_to(key, known); !near.empty()) {
        what += "; did you mean " + quoted(near) + "?";
      } else {
        what += "; known here:";
        for (auto k : known) what += (k == known.front() ? " " : ", ") + std::string(k);
      }
      problem(join_pointer(at, key), std::move(what));
    }
  }

  /// A name as long as a document is like no other, and comparing would take its time.
  static std::string_view near_to(std::string_view key,
                                  const std::vector<std::string_view>& known) {
    return key.size() > limits::pointer_key_bytes ? std::string_view{} : nearest(key, known);
  }

  structure& out_;
};

/// The way to a value, written out only where there is a problem: else a document of long names
/// around many short ones would cost its size squared.
struct way {
  const way* before = nullptr;
  std::string_view key;
  std::size_t index = 0;  ///< of an element, if there is no key
  bool element = false;

  std::string pointer() const {
    if (!before) return {};
    return join_pointer(before->pointer(), element ? std::to_string(index) : std::string(key));
  }
};

/// Boost.JSON keeps only one of several members with the same key, so they are looked for in the
/// text. A duplicate is always a mistake, and which one wins would be a guess.
void find_duplicates(json::cursor& c, const way& at, std::uint32_t nesting, structure& out) {
  auto next = c.peek();
  if (next == '{') {
    std::set<std::string> seen;
    json::members(c, [&](std::string_view raw, json::cursor& inner) {
      std::string key;
      json::unquote(quoted(raw), key);
      const auto [known, fresh] = seen.insert(std::move(key));
      const way here{&at, *known};
      if (!fresh && enough(out.problems))
        ++out.untold;
      else if (!fresh)
        out.problems.push_back({here.pointer(), "duplicate field: keep one of them"});
      find_duplicates(inner, here, nesting + 1, out);
    });
  } else if (next == '[') {
    std::size_t i = 0;
    json::elements(c, [&](json::cursor& inner) {
      find_duplicates(inner, {&at, {}, i++, true}, nesting + 1, out);
    });
  } else {
    c.value(nesting);
  }
}

/// "line 3, column 7", both from 1, the column in bytes.
std::string place(std::string_view text, std::size_t offset) {
  auto before = text.substr(0, offset);
  auto line = 1 + std::ranges::count(before, '\n');
  auto start = before.rfind('\n');
  auto column = start == std::string_view::npos ? offset + 1 : offset - start;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string syntax_sentence(boost::system::error_code ec) {
  if (ec == bj::error::too_deep) {
    return "nested deeper than " + std::to_string(limits::json_depth) + " levels";
  }
  if (ec == bj::error::extra_data) return "something follows the document";
  if (ec == bj::error::incomplete) return "the document ends in the middle";
  return "not valid JSON (" + ec.message() + ")";
}

std::optional<bj::value> parse_text(std::string_view text, std::vector<config_problem>& problems) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    problems.push_back({"", "the document is empty"});
    return std::nullopt;
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    problems.push_back({"",
                        "line 1, column 1: the document begins with a byte order mark: save it "
                        "as UTF-8 without one"});
    return std::nullopt;
  }
  bj::parse_options options;
  options.max_depth = limits::json_depth;
  bj::parser parser({}, options);
  boost::system::error_code ec;
  auto consumed = parser.write_some(text.data(), text.size(), ec);
  if (!ec && consumed < text.size()) ec = bj::error::extra_data;
  if (ec) {
    problems.push_back({"", place(text, consumed) + ": " + syntax_sentence(ec)});
    return std::nullopt;
  }
  return parser.release();
}

template <class T>
void read_text(std::string_view text, structure& out, T& to) {
  auto value = parse_text(text, out.problems);
  if (!value) return;
  json::cursor c(text, {.depth = limits::json_depth, .utf8 = true});
  find_duplicates(c, {}, 0, out);
  reader(out).read(*value, field{}, "", to);
}

}  // namespace

parsed parse(std::string_view text) {
  parsed out;
  read_text(text, out, out.doc);
  return out;
}

parsed_discovered parse_discovered(std::string_view text) {
  parsed_discovered out;
  read_text(text, out, out.doc);
  return out;
}

}  // namespace gate::config
