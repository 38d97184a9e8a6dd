#include "config/validate.hpp"

#include <algorithm>
#include <iterator>

#include "config/rules/rules.hpp"
#include "protocol/limits.hpp"

namespace gate::config {
namespace {

/// Is one pointer the other, or inside it?
bool related(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (b.size() == a.size() || b[a.size()] == '/');
}

bool follows_from(const rules::finding& f, std::span<const config_problem> known) {
  return std::ranges::any_of(known, [&](const config_problem& k) {
    return related(k.pointer, f.problem.pointer) ||
           std::ranges::any_of(f.reads, [&](const auto& r) { return related(k.pointer, r); });
  });
}

}  // namespace

std::vector<config_problem> validate(const document& doc, std::span<const config_problem> known) {
  rules::findings found;
  rules::upstreams(doc, found);
  rules::auth(doc, found);
  rules::policy(doc, found);
  rules::audit(doc, found);
  rules::server(doc, found);
  rules::discovery(doc, found);
  rules::tenants(doc, found);
  rules::tracing(doc, found);
  std::vector<config_problem> out;
  for (auto& f : found.all) {
    if (!follows_from(f, known)) out.push_back(std::move(f.problem));
  }
  return out;
}

parsed load(std::string_view text) {
  auto out = parse(text);
  auto more = validate(out.doc, out.problems);
  const auto told = std::min(more.size(), limits::config_problems - out.problems.size());
  std::ranges::move(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(told),
                    std::back_inserter(out.problems));
  if (const auto rest = more.size() - told + out.untold; rest > 0)
    out.problems.push_back({{}, "and " + std::to_string(rest) + " more: mend these first"});
  return out;
}

}  // namespace gate::config
