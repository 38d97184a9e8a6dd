#include "config/policy/policy.hpp"

#include <algorithm>
#include <utility>

#include "config/policy/subjects.hpp"
#include "config/text_hash.hpp"
#include "protocol/mcp/methods.hpp"

namespace gate::config {

namespace {

/// One bit a row of protocol/mcp/methods.hpp; the last for what has no row, and only grants without
/// `methods` cover.
static_assert(mcp::methods.size() < 32);
constexpr std::uint32_t other_method = 1U << 31U;
constexpr std::uint32_t all_methods = ~0U;

std::uint32_t method_bit(std::string_view name) {
  const auto* m = mcp::find_method(name);
  return m == nullptr ? other_method : 1U << static_cast<unsigned>(m - mcp::methods.data());
}

}  // namespace

struct compiled_grant {
  std::string rule;
  std::uint32_t methods = all_methods;  ///< of `method_bit`
  std::vector<glob> names;
  bool all_names = true;
};

struct compiled_policy {
  struct rule {
    std::optional<config::subjects> subjects;
    /// For each grant that can fit anything: the upstreams it is for, or all.
    std::vector<std::pair<compiled_grant, std::optional<std::size_t>>> grants;
  };
  std::vector<rule> rules;
  std::vector<bool> there;  ///< by number of an upstream: is there one?
  std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> by_id;
  bool configured = false;
  bool default_allows = true;
};

namespace {

using bits = std::vector<bool>;

/// A grant that can fit nothing is left out: for an upstream that is not there (yet), for methods
/// that are none, or with an empty list. What remains makes the upstream worth showing.
void add_grant(const compiled_policy& p, compiled_policy::rule& to, const grant& g,
               const std::string& rule) {
  std::optional<std::size_t> server;
  if (g.server != "*") {
    const auto at = p.by_id.find(g.server);
    if (at == p.by_id.end()) return;
    server = at->second;
  }
  if (g.names && g.names->empty()) return;
  compiled_grant out;
  out.rule = rule;
  out.all_names = !g.names;
  if (g.methods) {
    out.methods = 0;
    for (const auto& name : *g.methods) out.methods |= method_bit(name) & ~other_method;
  }
  if (g.names) out.names = std::vector<glob>(g.names->begin(), g.names->end());
  // A `*` of its own asks nothing of a name.
  for (const auto& name : out.names) out.all_names |= !name.exact() && name.matches("");
  if (out.methods != 0) to.grants.emplace_back(std::move(out), server);
}

/// Whom each rule means, in one pass over the caller's facts.
bits meaning_rules(const compiled_policy& p, const oauth::principal* who) {
  bits out(p.rules.size());
  std::optional<caller> facts;
  if (who != nullptr) facts.emplace(*who);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& s = p.rules[i].subjects;
    out[i] = !s || (facts && facts->meant_by(*s));
  }
  return out;
}

bits visible_upstreams(const compiled_policy& p, const text_list* ids) {
  if (ids == nullptr) return p.there;
  bits out(p.there.size());
  for (const auto& id : *ids) {
    if (auto at = p.by_id.find(id); at != p.by_id.end()) out[at->second] = true;
  }
  return out;
}

void append_bits(std::string& out, const bits& b) {
  for (std::size_t i = 0; i < b.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t j = i; j < std::min(i + 8, b.size()); ++j) byte |= (b[j] ? 1U : 0U) << (j - i);
    out += static_cast<char>(byte);
  }
}

}  // namespace

// --- names ---------------------------------------------------------------------------------------

void name_filter::add(const compiled_grant& g) {
  for (const auto& name : g.names) {
    const entry e{&name, g.rule, names_.size()};
    names_.push_back(e);
    if (name.exact()) {
      exact_.try_emplace(name.text(), e);
    } else {
      patterns_.push_back({name.needs(), e.order});
    }
  }
}

judgement name_filter::operator()(std::string_view name) const {
  const auto found = exact_.empty() ? exact_.end() : exact_.find(name);
  const auto end = found == exact_.end() ? names_.size() : found->second.order;
  const auto lacks = patterns_.empty() ? 0 : ~glob::traits_of(name);
  for (const auto& p : patterns_) {
    if ((p.needs & lacks) != 0) continue;
    if (p.order > end) break;
    if (names_[p.order].name->matches(name)) return {true, names_[p.order].rule};
  }
  return found == exact_.end() ? otherwise_ : judgement{true, found->second.rule};
}

judgement name_filter::meets(std::string_view uri_template) const {
  for (const auto& n : names_) {
    if (n.name->meets_template(uri_template)) return {true, n.rule};
  }
  return otherwise_;
}

// --- one kind of caller --------------------------------------------------------------------------

bool policy_view::visible(std::size_t u) const noexcept {
  return u < servers_.size() && servers_[u].visible;
}

bool policy_view::reaches(std::size_t u) const noexcept {
  return visible(u) && (default_allows_ || !servers_[u].grants.empty());
}

template <class F>
judgement policy_view::first_fit(std::size_t u, std::string_view method, F matches) const {
  if (!visible(u)) return {};
  const auto bit = method_bit(method);
  for (const auto* g : servers_[u].grants) {
    if ((g->methods & bit) == 0) continue;
    if (g->all_names || std::ranges::any_of(g->names, matches)) return {true, g->rule};
  }
  return {default_allows_, {}};
}

judgement policy_view::judge(std::size_t u, std::string_view method, std::string_view name) const {
  const auto traits = glob::traits_of(name);
  return first_fit(u, method, [name, traits](const glob& g) { return g.matches(name, traits); });
}

judgement policy_view::judge_template(std::size_t u, std::string_view method,
                                      std::string_view uri_template) const {
  return first_fit(u, method,
                   [uri_template](const glob& g) { return g.meets_template(uri_template); });
}

name_filter policy_view::filter(std::size_t u, std::string_view method) const {
  name_filter out;
  if (!visible(u)) return out;
  out.otherwise_ = {default_allows_, {}};
  const auto bit = method_bit(method);
  for (const auto* g : servers_[u].grants) {
    if ((g->methods & bit) == 0) continue;
    if (g->all_names) {
      // Nothing behind it is ever asked.
      out.otherwise_ = {true, g->rule};
      break;
    }
    out.add(*g);
  }
  return out;
}

// --- all callers ---------------------------------------------------------------------------------

policy::policy(const std::optional<policy_section>& section,
               const std::vector<std::string>& upstreams) {
  auto out = std::make_shared<compiled_policy>();
  for (std::size_t i = 0; i < upstreams.size(); ++i) {
    out->there.push_back(!upstreams[i].empty());
    if (out->there[i]) out->by_id.emplace(upstreams[i], i);
  }
  out->configured = section.has_value();
  if (section) {
    out->default_allows = section->default_decision == decision::allow;
    out->rules.reserve(section->rules.size());
    for (const auto& r : section->rules) {
      auto& to = out->rules.emplace_back();
      to.subjects = r.subjects;
      for (const auto& g : r.allow) add_grant(*out, to, g, r.id);
    }
  }
  compiled_ = std::move(out);
}

std::string policy::view_key(const oauth::principal* who, const text_list* tenant_upstreams) const {
  std::string out;
  append_bits(out, meaning_rules(*compiled_, who));
  append_bits(out, visible_upstreams(*compiled_, tenant_upstreams));
  return out;
}

view_ptr policy::make_view(const oauth::principal* who, const text_list* tenant_upstreams,
                           std::uint64_t id) const {
  auto out = std::make_shared<policy_view>();
  const auto seen = visible_upstreams(*compiled_, tenant_upstreams);
  out->compiled_ = compiled_;
  out->servers_.resize(seen.size());
  for (std::size_t u = 0; u < seen.size(); ++u) out->servers_[u].visible = seen[u];
  const auto meant = meaning_rules(*compiled_, who);
  for (std::size_t i = 0; i < meant.size(); ++i) {
    if (!meant[i]) continue;
    for (const auto& [g, server] : compiled_->rules[i].grants) {
      if (server) {
        out->servers_[*server].grants.push_back(&g);
      } else {
        for (auto& s : out->servers_) s.grants.push_back(&g);
      }
    }
  }
  out->default_allows_ = compiled_->default_allows;
  out->open_ = !compiled_->configured && seen == compiled_->there;
  out->id_ = id;
  return out;
}

}  // namespace gate::config
