#include "config/schema.hpp"

#include <boost/json.hpp>
#include <cmath>
#include <limits>

#include "config/describe.hpp"
#include "config/text.hpp"

namespace gate::config {
namespace {

namespace bj = boost::json;

/// Builds the schema of one section. Each overload of `type` answers for one kind of member, given
/// the member of a default-constructed section: its value is the documented default.
template <class T>
struct section_schema {
  bj::object properties;
  bj::array required;
  T defaults{};

  template <class M>
  void operator()(M T::*member, const field& f);
};

template <described T>
bj::object type(const T&, const field&) {
  section_schema<T> s;
  describe(s, of<T>{});
  bj::object out{{"type", "object"}, {"additionalProperties", false}};
  if (!s.required.empty()) out["required"] = std::move(s.required);
  out["properties"] = std::move(s.properties);
  return out;
}

bj::object type(const std::string& standard, const field& f) {
  bj::object out{{"type", "string"}};
  if (auto p = pattern(f.kind); !p.empty()) {
    out["pattern"] = p;
  } else if (f.kind == text::plain) {
    out["minLength"] = 1;
  }
  if (!standard.empty()) out["default"] = standard;
  return out;
}

bj::object type(const bool& standard, const field&) {
  return {{"type", "boolean"}, {"default", standard}};
}

bj::object type(const std::int64_t& standard, const field& f) {
  bj::object out{{"type", "integer"}};
  if (f.nought == zero::is_default && f.least > 0) {
    out["anyOf"] = {bj::object{{"enum", bj::array{0}}}, bj::object{{"minimum", f.least}}};
  } else {
    out["minimum"] = f.least;
  }
  out["maximum"] = f.most;
  if (f.presence == need::optional) out["default"] = standard;
  return out;
}

template <class R, class P>
bj::object type(const std::chrono::duration<R, P>& standard, const field& f) {
  return type(static_cast<std::int64_t>(standard.count()), f);
}

bj::object type(const double& standard, const field& f) {
  return {{"type", "number"}, {"minimum", f.least}, {"maximum", f.most}, {"default", standard}};
}

template <class E>
requires std::is_enum_v<E> bj::object type(const E& standard, const field& f) {
  bj::array names;
  for (const auto& c : choices(of<E>{})) names.push_back(bj::string(c.name));
  bj::object out{{"type", "string"}, {"enum", std::move(names)}};
  if (f.presence == need::optional) out["default"] = name_of(standard);
  return out;
}

bj::object type(const claim_value&, const field&) {
  return {{"type", bj::array{"string", "number", "boolean"}}};
}

/// Entries have no default of their own.
template <class T>
bj::object entry(const field& f) {
  auto out = type(T{}, f);
  out.erase("default");
  return out;
}

template <class T>
bj::object type(const std::vector<T>&, const field& f);
template <class T>
bj::object type(const std::map<std::string, T>&, const field& f);

template <class T>
bj::object type(const std::optional<T>&, const field& f) {
  return type(T{}, f);
}

template <class T>
bj::object type(const std::vector<T>&, const field& f) {
  bj::object out{{"type", "array"}};
  if (f.min_items > 0) out["minItems"] = f.min_items;
  if (f.max_items < std::numeric_limits<std::size_t>::max()) out["maxItems"] = f.max_items;
  out["items"] = entry<T>(f);
  return out;
}

template <class T>
bj::object type(const std::map<std::string, T>&, const field& f) {
  return {{"type", "object"}, {"additionalProperties", entry<T>(f)}};
}

template <class T>
template <class M>
void section_schema<T>::operator()(M T::*member, const field& f) {
  bj::object out{{"description", f.doc}};
  for (auto& [key, value] : type(defaults.*member, f)) out[key] = std::move(value);
  properties[f.key] = std::move(out);
  if (f.presence == need::required) required.push_back(bj::string(f.key));
}

void print(const bj::value& v, const std::string& indent, std::string& out);

void print_object(const bj::object& o, const std::string& indent, std::string& out) {
  if (o.empty()) {
    out += "{}";
    return;
  }
  auto inner = indent + "  ";
  std::string_view before = "{\n";
  for (const auto& member : o) {
    out += before;
    out += inner + bj::serialize(bj::string(member.key())) + ": ";
    print(member.value(), inner, out);
    before = ",\n";
  }
  out += "\n" + indent + "}";
}

/// Arrays stay on one line: here they are lists of words.
void print(const bj::value& v, const std::string& indent, std::string& out) {
  if (auto* o = v.if_object()) return print_object(*o, indent, out);
  if (auto* d = v.if_double(); d && std::nearbyint(*d) == *d) {
    out += std::to_string(static_cast<std::int64_t>(*d));  // Boost.JSON would print 1E0
  } else if (auto* a = v.if_array()) {
    std::string_view before = "[";
    for (const auto& entry : *a) {
      out += before;
      print(entry, indent, out);
      before = ", ";
    }
    out += a->empty() ? "[]" : "]";
  } else {
    out += bj::serialize(v);
  }
}

}  // namespace

std::string schema() {
  bj::object out{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "gate configuration"},
      {"description",
       "Structure of the configuration document of gate. Rules between fields (namespaces, https, "
       "what a strategy needs) are checked by gate --validate only."}};
  for (auto& [key, value] : type(document{}, field{})) out[key] = std::move(value);
  std::string text;
  print(out, "", text);
  return text + "\n";
}

}  // namespace gate::config
