#include "protocol/kubernetes/watch.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/form.hpp"

namespace gate::kubernetes {
namespace {

constexpr json::limits deep{json::deepest, true};

std::string string_at(std::string_view raw) {
  std::string out;
  if (raw.empty() || !json::unquote(raw, out)) return {};
  return out;
}

std::string path_of(const selection& of) {
  std::string out = of.base + "/api/v1/";
  if (!of.space.empty()) out += "namespaces/" + of.space + '/';
  return out + "services";
}

std::string with_query(const selection& of, std::string query) {
  if (!of.label_selector.empty()) oauth::append_field(query, "labelSelector", of.label_selector);
  return path_of(of) + '?' + query;
}

/// The raw `metadata.resourceVersion` of an object, which may be no Service.
std::string version_of(std::string_view object) {
  return string_at(json::member(json::member(object, "metadata"), "resourceVersion"));
}

std::optional<event_kind> kind_of(std::string_view type) {
  if (type == "ADDED" || type == "MODIFIED") return event_kind::changed;
  if (type == "DELETED") return event_kind::gone;
  if (type == "BOOKMARK") return event_kind::progress;
  if (type == "ERROR") return event_kind::error;
  return std::nullopt;
}

problem no_json(json::fault f) {
  return {"it is malformed: " + std::string(json::describe(f))};
}

}  // namespace

std::string list_target(const selection& of, std::size_t items, std::string_view next) {
  std::string query = "limit=" + std::to_string(items);
  if (!next.empty()) oauth::append_field(query, "continue", next);
  return with_query(of, std::move(query));
}

std::string watch_target(const selection& of, std::string_view version,
                         std::chrono::seconds until) {
  std::string query =
      "watch=true&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(until.count());
  oauth::append_field(query, "resourceVersion", version);
  return with_query(of, std::move(query));
}

result<list_page> read_list_page(std::string_view body) {
  if (const auto f = json::validate(body, deep); f != json::fault::none) return no_json(f);
  static constexpr std::array<std::string_view, 2> parts{"metadata", "items"};
  const auto [metadata, items] = json::pick(body, parts);
  list_page out;
  out.version = string_at(json::member(metadata, "resourceVersion"));
  out.next = string_at(json::member(metadata, "continue"));
  if (out.version.empty()) return problem{"it has no metadata.resourceVersion, so it is no list"};
  if (items.empty() || items == "null") return out;
  if (items.front() != '[') return problem{"its items are no array"};
  std::optional<problem> wrong;
  json::cursor c(items, deep);
  json::elements(c, [&](json::cursor& at) {
    auto one = read_service(at.value(1));
    if (!one) {
      wrong = one.error();
      return at.fail(json::fault::stopped);
    }
    if (one->wanted()) out.services.push_back(std::move(*one));
  });
  if (wrong) return *wrong;
  return out;
}

status read_status(std::string_view body) {
  static constexpr std::array<std::string_view, 3> names{"code", "reason", "message"};
  const auto [code, reason, message] = json::pick(body, names);
  status out{0, string_at(reason), string_at(message)};
  std::from_chars(code.data(), code.data() + code.size(), out.code);
  return out;
}

result<watch_event> read_watch_event(std::string_view line) {
  if (const auto f = json::validate(line, deep); f != json::fault::none) return no_json(f);
  static constexpr std::array<std::string_view, 2> parts{"type", "object"};
  const auto [type, object] = json::pick(line, parts);
  const auto kind = kind_of(string_at(type));
  if (!kind) return problem{"its type is none that is known"};
  watch_event out;
  out.kind = *kind;
  if (out.kind == event_kind::error) {
    out.why = read_status(object);
    return out;
  }
  out.version = version_of(object);
  if (out.version.empty()) return problem{"its object has no metadata.resourceVersion"};
  if (out.kind == event_kind::progress) return out;
  auto what = read_service(object);
  if (!what) return what.error();
  out.what = std::move(*what);
  return out;
}

}  // namespace gate::kubernetes
