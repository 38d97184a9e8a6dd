#include "protocol/webhook/routes.hpp"

#include <algorithm>
#include <optional>

#include "protocol/webhook/ids.hpp"

namespace gate::webhook {
namespace {

/// Of a path that has the form of `pattern`: what stands for its id, empty if it has none.
std::optional<std::string_view> fits(std::string_view pattern, std::string_view path) {
  const auto open = pattern.find('{');
  if (open == pattern.npos) {
    if (path == pattern) return std::string_view{};
    return {};
  }
  const auto behind = pattern.substr(pattern.find('}') + 1);
  if (!path.starts_with(pattern.substr(0, open)) || !path.ends_with(behind)) return {};
  if (path.size() <= open + behind.size()) return {};
  const auto id = path.substr(open, path.size() - open - behind.size());
  if (id.find('/') != id.npos) return {};
  return id;
}

/// The page has files below it.
bool is_below(const route& r, std::string_view path) {
  return r.id == operation::console && path.starts_with(r.path) &&
         path.substr(r.path.size()).starts_with('/');
}

bool is_good_id(path_id kind, std::string_view text) {
  switch (kind) {
    case path_id::none:
      return true;
    case path_id::webhook:
      return is_id(id_kind::webhook, text);
    case path_id::delivery:
      return is_id(id_kind::delivery, text);
    case path_id::webhook_or_delivery:
      break;
  }
  return is_id(id_kind::webhook, text) || is_id(id_kind::delivery, text);
}

std::string_view missing(path_id kind) {
  switch (kind) {
    case path_id::webhook:
      return "there is no such webhook";
    case path_id::delivery:
      return "there is no such delivery";
    default:
      return "there is no such webhook or delivery";
  }
}

no_route not_found(std::string_view what, std::string_view hint = {}) {
  return {{error_code::not_found, std::string(what), locus::nowhere, {}, std::string(hint)}, {}};
}

/// All methods of a path, which rows that stand beside each other may share.
http::verbs methods_of(std::string_view pattern) {
  http::verbs out{};
  for (const auto& r : routes)
    if (r.path == pattern) out.add(r.method);
  return out;
}

no_route other_method(std::string_view pattern) {
  const auto known = methods_of(pattern);
  return {{error_code::method_not_allowed,
           "this path has no such method",
           locus::nowhere,
           {},
           known.hint()},
          known.allow()};
}

}  // namespace

boost::system::result<found_route, no_route> find_route(verb method, std::string_view path) {
  const route* there = nullptr;
  std::string_view id;
  for (const auto& r : routes) {
    const auto fitting = is_below(r, path) ? std::string_view{} : fits(r.path, path);
    if (!fitting) continue;
    // The first row that fits says which path it is; others of it have other methods.
    if (there && there->path != r.path) continue;
    there = &r;
    id = *fitting;
    if (r.method == method) break;
  }
  if (!there) return not_found("there is no such path", "GET /openapi.json tells what there is");
  if (there->method != method) return other_method(there->path);
  if (!is_good_id(there->of_path, id)) return not_found(missing(there->of_path));
  return found_route{there, id};
}

}  // namespace gate::webhook
