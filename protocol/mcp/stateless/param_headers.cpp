#include "protocol/mcp/stateless/param_headers.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/json_schema.hpp"
#include "protocol/mcp/stateless/headers.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::string_view keyword = "x-mcp-header";
constexpr std::string_view prefix = "Mcp-Param-";

/// Can there be an annotation, as far as a search for bytes tells? Escapes could spell it.
bool may_annotate(std::string_view raw) {
  constexpr std::string_view word = "mcp-header";
  if (raw.empty()) return false;
  return memmem(raw.data(), raw.size(), word.data(), word.size()) != nullptr ||
         memmem(raw.data(), raw.size(), "\\u", 2) != nullptr;
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != marks.npos;
  });
}

/// Visits a schema (json_schema.hpp).
class annotation_reader {
 public:
  void enter() { open_.emplace_back(); }
  void leave() {
    const auto here = open_.back();
    open_.pop_back();
    if (here.annotations == 0 || wrong_) return;
    std::string name;
    if (here.annotations > 1) return wrong("is there twice in one schema");
    if (!json::unquote(here.annotation, name) || !is_token(name)) return wrong("is no header name");
    if (name.size() > limits::param_name_bytes) return wrong("is too long");
    if (off_way_ != 0 || path_.empty()) return wrong("is not reached by properties only");
    if (path_.size() > limits::param_depth) return wrong("is nested too deeply");
    for (const auto& step : path_) bytes_ += step.size();
    if (bytes_ > limits::param_header_bytes) return wrong("stands below names that are too long");
    constexpr std::array types{"string", "integer", "boolean"};
    if (here.types != 1 ||
        std::ranges::none_of(types, [&](auto t) { return json::says(here.type, t); }))
      return wrong("is not on a string, an integer or a boolean");
    if (std::ranges::any_of(out_, [&](auto& x) { return http::same_name(x.name, name); }))
      return wrong("names the same header as another");
    if (out_.size() == limits::param_headers) return wrong("is one of too many");
    out_.push_back({std::move(name), path_});
  }
  void keyword(std::string_view key, json::cursor& at) {
    const auto value = at.value();
    if (json::same_key(key, stateless::keyword)) {
      open_.back().annotation = value;
      ++open_.back().annotations;
    } else if (json::same_key(key, "type")) {
      open_.back().type = value;
      ++open_.back().types;
    }
  }
  void down(std::string_view under, std::string_view name) {
    const bool goes_on = off_way_ == 0 && json::same_key(under, "properties");
    if (!goes_on) {
      ++off_way_;
      return;
    }
    path_.emplace_back();
    json::unquote('"' + std::string(name) + '"', path_.back());
  }
  void up() {
    if (off_way_ != 0)
      --off_way_;
    else
      path_.pop_back();
  }
  void unseen(std::string_view raw) {
    if (raw.starts_with('{') && may_annotate(raw)) wrong("is nested too deeply");
  }

  result<param_headers> take() {
    if (wrong_) return problem{"x-mcp-header " + std::string(*wrong_)};
    return std::move(out_);
  }

 private:
  struct schema {
    std::string_view annotation, type;
    int annotations = 0, types = 0;
  };
  void wrong(std::string_view why) {
    if (!wrong_) wrong_ = why;
  }

  std::vector<schema> open_;
  std::vector<std::string> path_;  ///< of the properties that lead here
  std::size_t off_way_ = 0;        ///< how many steps since something else led on
  std::size_t bytes_ = 0;          ///< of the paths so far
  param_headers out_;
  std::optional<std::string_view> wrong_;
};

/// A number of JSON as the digits of an integer, the same for all spellings; nothing: it is no
/// integer within ±(2^53-1), or no number.
std::optional<std::string> as_integer(std::string_view raw) {
  const bool number =
      !raw.empty() && (raw.front() == '-' || (raw.front() >= '0' && raw.front() <= '9'));
  if (!number || json::validate(raw) != json::fault::none) return {};
  const bool negative = raw.front() == '-';
  if (negative) raw.remove_prefix(1);
  const auto mark = raw.find_first_of("eE");
  auto digits = std::string(raw.substr(0, mark));
  long long exponent = 0;
  if (mark != raw.npos) {
    auto text = raw.substr(mark + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    // One that is beyond this says of no number that would pass that it is an integer, but of zero.
    if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec != std::errc{})
      exponent = text.starts_with('-') ? -1'000'000'000'000 : 1'000'000'000'000;
  }
  if (const auto point = digits.find('.'); point != digits.npos) {
    exponent -= static_cast<long long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  if (digits.empty()) return "0";
  constexpr std::string_view most = "9007199254740991";
  if (exponent < 0 || static_cast<std::size_t>(exponent) + digits.size() > most.size()) return {};
  digits.append(static_cast<std::size_t>(exponent), '0');
  if (digits.size() == most.size() && digits > most) return {};
  return negative ? '-' + digits : digits;
}

/// An argument that a header repeats.
struct argument {
  std::string_view raw;  ///< empty: it is missing
  int times = 0;
};

/// What stands where, for each of `wanted`; one walk through the arguments.
class argument_finder {
 public:
  explicit argument_finder(const param_headers& wanted) : wanted_(wanted), found_(wanted.size()) {}

  std::vector<argument> run(std::string_view raw_arguments) {
    std::vector<std::size_t> all(wanted_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    look(raw_arguments, 0, all);
    return std::move(found_);
  }

 private:
  void look(std::string_view raw, std::size_t depth, const std::vector<std::size_t>& which) {
    if (!raw.starts_with('{')) return;
    json::cursor c(raw, {json::deepest, false});
    json::members(c, [&](std::string_view key, json::cursor& at) {
      at.peek();
      const auto value = at.value(1);
      std::vector<std::size_t> deeper;
      for (const auto i : which) {
        const auto& path = wanted_[i].path;
        if (!json::same_key(key, path[depth])) continue;
        if (path.size() > depth + 1) {
          deeper.push_back(i);
          continue;
        }
        found_[i].raw = value;
        ++found_[i].times;
      }
      if (!deeper.empty()) look(value, depth + 1, deeper);
    });
  }

  const param_headers& wanted_;
  std::vector<argument> found_;
};

/// What a header says of this value; nothing: no header says it.
std::optional<std::string> as_text(std::string_view raw) {
  std::string text;
  if (raw.starts_with('"'))
    return json::unquote(raw, text) ? std::optional(std::move(text)) : std::nullopt;
  if (raw == "true" || raw == "false") return std::string(raw);
  return as_integer(raw);
}

bool is_number(std::string_view raw) {
  return raw.front() == '-' || (raw.front() >= '0' && raw.front() <= '9');
}

/// Does this header say this value, which is there?
bool agrees(std::string_view header, std::string_view raw) {
  const auto said = header_value(header);
  if (!said) return false;
  const auto value = as_text(raw);
  if (!is_number(raw)) return value && *said == *value;
  return value ? as_integer(*said) == value : *said == raw;
}

/// All headers of that name; nothing is the matter with none only if none is wanted.
bool agrees(std::span<const http::header> headers, const param_header& wanted, const argument& is) {
  if (is.times > 1) return false;
  const bool absent = is.raw.empty() || is.raw == "null";
  bool there = false;
  for (const auto& h : headers) {
    if (h.name.size() != prefix.size() + wanted.name.size() ||
        !http::same_name(h.name.substr(0, prefix.size()), prefix) ||
        !http::same_name(h.name.substr(prefix.size()), wanted.name))
      continue;
    there = true;
    if (absent || !agrees(h.value, is.raw)) return false;
  }
  return there || absent || !as_text(is.raw);
}

}  // namespace

result<param_headers> read_annotations(std::string_view raw_schema) {
  if (!may_annotate(raw_schema)) return param_headers{};
  annotation_reader reader;
  json::cursor c(raw_schema, {json::deepest, false});
  walk_schema(c, reader);
  if (!c.ok()) return problem{"x-mcp-header stands in a schema that can not be read"};
  return reader.take();
}

std::optional<std::string> param_disagreement(std::span<const http::header> headers,
                                              const param_headers& wanted,
                                              std::string_view raw_arguments) {
  const auto found = argument_finder(wanted).run(raw_arguments);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!agrees(headers, wanted[i], found[i]))
      return "the header " + std::string(prefix) + wanted[i].name +
             " does not say what the argument says";
  return {};
}

std::string param_lines(const param_headers& wanted, std::string_view raw_arguments) {
  std::string out;
  const auto found = argument_finder(wanted).run(raw_arguments);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (found[i].times != 1) continue;
    const auto text = as_text(found[i].raw);
    if (!text) continue;
    const auto value = as_header_value(*text);
    const auto line = prefix.size() + wanted[i].name.size() + value.size() + 4;
    if (out.size() + line > limits::param_header_bytes) continue;
    out.append(prefix).append(wanted[i].name).append(": ").append(value).append("\r\n");
  }
  return out;
}

}  // namespace gate::mcp::stateless
