#include "protocol/introspection/queries.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "protocol/http/ascii.hpp"
#include "protocol/mcp/methods.hpp"
#include "protocol/oauth/form.hpp"

namespace gate::introspection {
namespace {

/// The parameters, all of which are among these.
result<oauth::form> read(std::string_view query, std::initializer_list<std::string_view> known) {
  auto form = oauth::read_form(query);
  if (!form)
    return problem{
        "the query has a parameter twice, too many of them, a malformed percent escape, or text "
        "that is not UTF-8"};
  for (const auto& [name, value] : *form) {
    if (std::ranges::find(known, name) == known.end())
      return problem{"the query has a parameter that this endpoint does not know"};
    if (value.find('\0') != value.npos)
      return problem{"the parameter \"" + name + "\" must not contain U+0000"};
  }
  return form;
}

/// Nothing: it is absent. (An empty one is there.)
const std::string* find(const oauth::form& f, std::string_view name) {
  const auto at = std::ranges::find(f, name, &oauth::form::value_type::first);
  return at == f.end() ? nullptr : &at->second;
}

bool needs_name(const mcp::method& m) {
  return m.routing == mcp::routing::named || m.routing == mcp::routing::owned;
}

/// What policy is asked about, or whose it is, is in parameters that a query has not. Empty: it can
/// be explained.
std::string_view wrong_to_explain(const mcp::method& m) {
  if (m.routing == mcp::routing::completes || m.routing == mcp::routing::task)
    return "cannot be explained without its parameters";
  // The caller's own subscriptions end unjudged, and a query is of no session.
  if (m.judging == mcp::judging::begun) return "cannot be explained without its session";
  return {};
}

}  // namespace

std::optional<std::uint64_t> read_number(std::string_view text) {
  if (!http::all_digits(text)) return {};
  std::uint64_t out = 0;
  const auto [end, flaw] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (flaw != std::errc{} || end != text.data() + text.size() || out >> 63) return {};
  return out;
}

result<activity_query> read_activity_query(std::string_view query) {
  const auto form = read(query, {"since", "limit"});
  if (!form) return form.error();
  activity_query out;
  if (const auto* text = find(*form, "since")) {
    out.since = read_number(*text);
    if (!out.since) return problem{"the parameter \"since\" must be a whole number"};
  }
  if (const auto* text = find(*form, "limit")) {
    const auto most = read_number(*text);
    if (!most || *most == 0)
      return problem{"the parameter \"limit\" must be a whole number of at least 1"};
    out.limit = static_cast<std::size_t>(std::min<std::uint64_t>(*most, limits::activity_answer));
  }
  return out;
}

result<explain_query> read_explain_query(std::string_view query) {
  const auto form = read(query, {"method", "name"});
  if (!form) return form.error();
  const auto* method = find(*form, "method");
  const auto* name = find(*form, "name");
  if (!method || method->empty()) return problem{"the parameter \"method\" is missing"};
  if (const auto* row = mcp::find_method(*method)) {
    if (const auto why = wrong_to_explain(*row); !why.empty())
      return problem{"the method in the parameter \"method\" " + std::string(why)};
    if (needs_name(*row) && (!name || name->empty()))
      return problem{"the parameter \"name\" is missing: the method has one"};
    if (!needs_name(*row) && name)
      return problem{"the parameter \"name\" is not for this method: leave it out"};
  }
  return explain_query{*method, name ? *name : std::string{}};
}

result<void> read_no_query(std::string_view query) {
  const auto form = read(query, {});
  if (!form) return form.error();
  return {};
}

}  // namespace gate::introspection
