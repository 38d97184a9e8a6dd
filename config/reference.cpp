#include "config/reference.hpp"

#include <boost/json.hpp>

#include "config/describe.hpp"

namespace gate::config {
namespace {

std::string code(std::string_view word) {
  return '`' + std::string(word) + '`';
}

/// What the columns "Type" and "Default" say about one kind of member.
struct cell {
  std::string type;
  std::string standard;
  std::string_view nesting = {};  ///< how the path of a nested field goes on, if there are any
};

template <described T>
cell describe_member(const T&, const field&) {
  return {"object", "see its fields", "."};
}

cell describe_member(const std::string& standard, const field& f) {
  std::string type = "string";
  if (f.kind == text::variable) type = "variable name";
  if (f.kind == text::name) type = "string of `a-z` `0-9` `-`";
  return {type, standard.empty() ? "none" : code(standard)};
}

cell describe_member(const bool& standard, const field&) {
  return {"boolean", standard ? "true" : "false"};
}

cell describe_member(const std::int64_t& standard, const field& f) {
  auto type = f.least > 0 ? "integer, at least " + std::to_string(f.least) : "integer";
  return {type, std::to_string(standard)};
}

template <class R, class P>
cell describe_member(const std::chrono::duration<R, P>& standard, const field& f) {
  return describe_member(static_cast<std::int64_t>(standard.count()), f);
}

cell describe_member(const double& standard, const field& f) {
  return {"number, " + std::to_string(f.least) + " to " + std::to_string(f.most),
          boost::json::serialize(boost::json::value(static_cast<std::int64_t>(standard)))};
}

template <class E>
requires std::is_enum_v<E> cell describe_member(const E& standard, const field&) {
  cell out{"one of", code(name_of(standard))};
  for (const auto& c : choices(of<E>{})) {
    out.type += (out.type == "one of" ? " " : ", ") + code(c.name);
  }
  return out;
}

cell describe_member(const claim_value&, const field&) {
  return {"scalar", "none"};
}

template <class T>
cell describe_member(const std::vector<T>&, const field& f);
template <class T>
cell describe_member(const std::map<std::string, T>&, const field& f);

template <class T>
cell describe_member(const std::optional<T>&, const field& f) {
  auto out = describe_member(T{}, f);
  out.standard = "none";
  return out;
}

/// "strings" of "string"; an enumeration keeps its names.
std::string plural(std::string type) {
  if (type.starts_with("one of ")) return type.substr(7);
  auto noun = type.find(' ');
  if (noun == std::string::npos || type == "variable name") return type + "s";
  return type.insert(noun, "s");
}

template <class T>
cell describe_member(const std::vector<T>&, const field& f) {
  auto inner = describe_member(T{}, f);
  return {"list of " + plural(inner.type), "none", inner.nesting.empty() ? "" : "[]."};
}

template <class T>
cell describe_member(const std::map<std::string, T>&, const field& f) {
  return {"map of " + plural(describe_member(T{}, f).type), "none"};
}

/// The section inside an optional or a list.
template <class T>
struct inner {
  using type = T;
};
template <class T>
struct inner<std::optional<T>> : inner<T> {};
template <class T>
struct inner<std::vector<T>> : inner<T> {};

/// Writes the rows of one section, nested sections below their field.
template <class T>
struct rows {
  std::string& out;
  std::string path;
  std::string_view effect;
  T defaults{};

  template <class M>
  void operator()(M T::*member, const field& f) {
    auto c = describe_member(defaults.*member, f);
    if (!f.default_note.empty()) c.standard = f.default_note;
    if (f.presence == need::required) c.standard = "required";
    out += "| " + code(path + std::string(f.key)) + " | " + c.type + " | " + c.standard + " | " +
           std::string(effect) + " | " + std::string(f.doc) + " |\n";
    using nested = typename inner<M>::type;
    if constexpr (described<nested>) {
      rows<nested> below{out, path + std::string(f.key) + std::string(c.nesting), effect};
      describe(below, of<nested>{});
    }
  }
};

/// The top level: a heading and a table for each section.
struct tables {
  std::string out;
  document defaults{};

  template <class M>
  void operator()(M document::*member, const field& f) {
    auto list = !describe_member(defaults.*member, f).nesting.starts_with('.');
    out += "### " + code(std::string(f.key) + (list ? "[]" : "")) + "\n\n" + std::string(f.doc);
    out += "\n\n| Field | Type | Default | Change | Meaning |\n";
    out += "|---|---|---|---|---|\n";
    using section = typename inner<M>::type;
    rows<section> r{out, "", f.effect == change::live ? "live" : "restart"};
    describe(r, of<section>{});
    out += "\n";
  }
};

}  // namespace

std::string reference() {
  tables t;
  describe(t, of<document>{});
  t.out.pop_back();
  return t.out;
}

}  // namespace gate::config
