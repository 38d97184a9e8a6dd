/// What the lists of upstreams say beside one another, and of their names.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "actors/doctor/upstream_visit.hpp"
#include "actors/doctor/words.hpp"
#include "protocol/limits/doctor.hpp"

namespace gate::doctor {
namespace {

bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

/// Of a URI: the upstream that lists it first.
using owners_of_uris = std::map<std::string_view, std::string_view>;

void compare_visit(const upstream_visit& v, owners_of_uris& owners, findings& out) {
  const auto& q = v.asked();
  if (q.replica) return;
  std::map<std::string_view, std::vector<std::string>> shared;
  for (const auto& uri : v.uris()) {
    // Resources of MCP Apps have a name of the gateway's own, which says whose they are.
    if (uri.starts_with("ui://")) continue;
    const auto [first, fresh] = owners.try_emplace(uri, q.id);
    if (!fresh && first->second != q.id) shared[first->second].push_back(uri);
  }
  for (const auto& [owner, uris] : shared)
    out.push_back({severity::warning, check::resources, q.pointer, q.id,
                   counted(uris.size(), "URI") + " of resources that " + in_quotes(owner) +
                       " lists as well: " + listed(uris, v.said()),
                   "have one of them use other URIs: reads go to " + in_quotes(owner)});
}

void compare(const examination& it, owners_of_uris& owners, findings& out) {
  if (const auto* v = it.of_upstream()) compare_visit(*v, owners, out);
  for (const auto& more : it.further()) compare(*more, owners, out);
}

}  // namespace

void judge_tool_names(const std::vector<std::string>& names, notes& say) {
  std::vector<std::string> too_long, odd, twice;
  std::set<std::string_view> met;
  for (const auto& n : names) {
    if (n.size() > limits::doctor_name_characters) too_long.push_back(n);
    if (!is_plain(n)) odd.push_back(n);
    if (!met.insert(n).second) twice.push_back(n);
  }
  if (!too_long.empty())
    say.warn(check::names,
             counted(too_long.size(), "name") +
                 " of tools longer than 64 characters: " + listed(too_long, say),
             "choose a shorter namespace: the APIs of OpenAI, Gemini and Amazon Bedrock take 64, "
             "Cursor 60 "
             "together with its name of the gateway");
  if (!odd.empty())
    say.warn(
        check::names,
        counted(odd.size(), "name") +
            " of tools with other characters than letters, digits, _ and -: " + listed(odd, say),
        "have the server name them otherwise: the APIs of OpenAI, Anthropic and Amazon "
        "Bedrock refuse them");
  if (!twice.empty())
    say.warn(check::names, "it lists more than once: " + listed(twice, say),
             "have the server name them differently: clients see two tools of one name");
}

findings compare_lists(const examinations& of) {
  findings out;
  owners_of_uris owners;
  for (const auto& it : of) compare(*it, owners, out);
  return out;
}

}  // namespace gate::doctor
