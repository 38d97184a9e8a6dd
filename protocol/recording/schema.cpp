#include "protocol/recording/schema.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/limits/operations.hpp"
#include "protocol/recording/shapes.hpp"

namespace gate::recording {
namespace {

/// Members of an object in their order, each on a line of its own.
class indented {
 public:
  explicit indented(std::size_t depth) : depth_(depth) {}

  indented& add(std::string_view name, std::string_view json) {
    text_ += text_.empty() ? "{\n" : ",\n";
    text_.append(2 * depth_ + 2, ' ');
    json::append_quoted(text_, name);
    text_.append(": ").append(json);
    return *this;
  }
  std::string end() const {
    return text_.empty() ? "{}" : text_ + '\n' + std::string(2 * depth_, ' ') + '}';
  }

 private:
  std::size_t depth_;
  std::string text_;
};

std::string list_of(const std::vector<std::string_view>& words) {
  std::string out = "[";
  for (const auto w : words) {
    if (out.size() > 1) out += ", ";
    json::append_quoted(out, w);
  }
  return out + ']';
}

std::string described(std::string_view type, std::string_view means) {
  return "{ " + std::string(type) + ", \"description\": " + json::quoted(means) + " }";
}

constexpr std::string_view whole = R"("type": "integer", "minimum": 0)";
constexpr std::string_view text = R"("type": "string")";

std::string_view type_of(shape s) {
  switch (s) {
    case shape::text:
    case shape::bytes:
      return text;
    case shape::number:
      return whole;
    case shape::flag:
      return R"("const": true)";
    case shape::json:
      return R"("type": ["object", "array", "string", "number", "boolean", "null"])";
    case shape::headers:
      return R"("$ref": "#/$defs/headers")";
    case shape::events:
      return R"("$ref": "#/$defs/events")";
  }
  return {};
}

std::string first_line() {
  indented p(3);
  p.add("gate_recording", R"({ "const": )" + std::to_string(format) + " }");
  p.add("version", described(text, "of the gateway"));
  p.add("started",
        described(R"("type": "string", "format": "date-time")", "the wall clock at `t` 0"));
  p.add("units", described(R"("type": "integer", "minimum": 1, "maximum": )" +
                               std::to_string(limits::threads_most),
                           "how many units it has"));
  p.add("clock", described(R"("type": "integer", "minimum": 0, "maximum": 59999999)",
                           "the monotonic clock at `t` 0, in microseconds within its minute"));
  p.add("config", described(R"("type": "object")", "the configuration document"));
  return indented(2)
      .add("description", json::quoted("The first line."))
      .add("type", R"("object")")
      .add("properties", p.end())
      .add("required", list_of({"gate_recording", "version", "started", "units", "config"}))
      .add("additionalProperties", "false")
      .end();
}

std::string last_line() {
  std::vector<std::string_view> words;
  words.reserve(endings.size());
  for (const auto& [word, why] : endings) words.push_back(word);
  const auto p = indented(3).add("end", R"({ "enum": )" + list_of(words) + " }").end();
  return indented(2)
      .add("description", json::quoted("The last line: why the recording ends."))
      .add("type", R"("object")")
      .add("properties", p)
      .add("required", list_of({"end"}))
      .add("additionalProperties", "false")
      .end();
}

std::string number_means(series s) {
  switch (s) {
    case series::none:
      return "says nothing";
    case series::request:
      return "the number of the client's request, on its unit";
    case series::fetch:
      return "the number of the fetch, on its unit";
    case series::store:
      return "the number of the operation, on its unit";
  }
  return {};
}

std::string event_line(const kind_row& k) {
  indented p(3);
  std::vector<std::string_view> needed{"t", "u", "e"};
  p.add("t", described(whole, "microseconds since the recording began"));
  p.add("u", described(whole, "the unit, from 0"));
  p.add("e", R"({ "const": )" + json::quoted(k.name) + " }");
  const auto numbers = series_of(k.what);
  p.add("n", described(whole, number_means(numbers)));
  if (numbers != series::none) needed.emplace_back("n");
  for (const auto& f : field_table) {
    if (!has(k.what, f.what)) continue;
    p.add(f.name, described(type_of(f.of), f.means));
    if (f.of == shape::bytes)
      p.add(std::string(f.name) + "64",
            described(R"("type": "string", "contentEncoding": "base64")",
                      "instead of `" + std::string(f.name) + "`, where it is not UTF-8"));
  }
  for (const auto& d : duties)
    if (d.of == k.what) needed.push_back(row(d.what).name);
  return indented(2)
      .add("description", json::quoted(k.means))
      .add("type", R"("object")")
      .add("properties", p.end())
      .add("required", list_of(needed))
      .add("additionalProperties", "false")
      .end();
}

std::string shapes() {
  const auto pair = R"({ "type": "array", "items": { "type": "string" }, "minItems": 2, )"
                    R"("maxItems": 2 })";
  const auto event = indented(4)
                         .add("data", R"({ "type": "string" })")
                         .add("id", R"({ "type": "string" })")
                         .add("event", R"({ "type": "string" })")
                         .end();
  const auto item = indented(3)
                        .add("type", R"("object")")
                        .add("properties", event)
                        .add("additionalProperties", "false")
                        .end();
  indented all(1);
  all.add("headers", indented(2).add("type", R"("array")").add("items", pair).end());
  all.add("events", indented(2).add("type", R"("array")").add("items", item).end());
  all.add("first", first_line());
  for (const auto& k : kind_table) all.add(k.name, event_line(k));
  all.add("last", last_line());
  return all.end();
}

}  // namespace

std::string schema() {
  std::string any = "[\n    { \"$ref\": \"#/$defs/first\" }";
  for (const auto& k : kind_table)
    any += ",\n    { \"$ref\": \"#/$defs/" + std::string(k.name) + "\" }";
  any += ",\n    { \"$ref\": \"#/$defs/last\" }\n  ]";
  return indented(0)
             .add("$schema", R"("https://json-schema.org/draft/2020-12/schema")")
             .add("title",
                  json::quoted("A line of a recording of gate, format " + std::to_string(format)))
             .add("description",
                  json::quoted("A recording is JSON Lines: each line is one of these."))
             .add("oneOf", any)
             .add("$defs", shapes())
             .end() +
         '\n';
}

}  // namespace gate::recording
