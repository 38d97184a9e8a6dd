/// What policy and tenants cost, measured in this process: one JSON line a result. Two variants are
/// compared by alternating rounds and the medians of their times, so that what else the machine
/// does meets both.
#include <cstdio>
#include <string>
#include <vector>

#include "config/policy/policy.hpp"
#include "config/tenants/tenants.hpp"
#include "simulations/benchmarks/stopwatch.hpp"

namespace {

using namespace gate;
using namespace gate::bench;

/// Keeps the compiler from leaving out what nobody reads.
volatile std::size_t seen = 0;

oauth::principal caller(std::size_t number) {
  const auto n = std::to_string(number);
  oauth::principal out;
  out.issuer = "https://login.example.com/" + n;
  out.subject = "00u-subject-" + n;
  out.groups = {"everyone", "group-" + n, "engineering"};
  out.claims = R"({"iss":"https://login.example.com/)" + n + R"(","sub":"00u-subject-)" + n +
               R"(","aud":"https://mcp.example.com/mcp","exp":1999999999,"iat":1999990000,)" +
               R"("org":"org-)" + n + R"(","groups":["everyone","group-)" + n +
               R"(","engineering"],"scope":"openid profile","email":"someone@example.com"})";
  out.key = 1 + number;
  return out;
}

// --- policy --------------------------------------------------------------------------------------

constexpr std::size_t grants = 20;
constexpr std::size_t tools = 1'000;

/// Twenty rules of one grant each. `%` in a name becomes the grant's number.
config::policy_section section_of(const std::vector<std::string>& names) {
  config::policy_section out;
  for (std::size_t i = 0; i < grants; ++i) {
    auto& rule = out.rules.emplace_back();
    rule.id = "rule-" + std::to_string(i);
    rule.subjects.emplace().groups = {"engineering"};
    auto& grant = rule.allow.emplace_back();
    grant.server = "docs";
    grant.methods = {"prompts/get", "tools/call"};
    grant.names.emplace();
    for (auto name : names) {
      if (auto at = name.find('%'); at != name.npos) name.replace(at, 1, std::to_string(i));
      grant.names->push_back(std::move(name));
    }
  }
  return out;
}

/// A list of a thousand tools for a caller whose view is new: the view, the filter, all names.
void measure_filter(const char* what, const std::vector<std::string>& names) {
  const config::policy policy(section_of(names), {"docs", "crm", "search"});
  const auto who = caller(7);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < tools; ++i) {
    list.push_back("area" + std::to_string(i % 40) + "_get_issue_" + std::to_string(i));
  }
  std::size_t shown = 0;
  const auto took = median_of(2'001, [&] {
    const auto view = policy.make_view(&who, nullptr, 1);
    const auto filter = view->filter(0, "tools/call");
    shown = 0;
    for (const auto& name : list) shown += filter(name).allowed ? 1U : 0U;
    seen = seen + shown;
  });
  const auto view = policy.make_view(&who, nullptr, 1);
  std::size_t at = 0;
  const auto one_call = median_of(2'001, [&] {
    for (int i = 0; i < 100; ++i) {
      at = (at + 1) % tools;
      seen = seen + (view->judge(0, "tools/call", list[at]).allowed ? 1U : 0U);
    }
  });
  const auto key = median_of(2'001, [&] { seen = seen + policy.view_key(&who, nullptr).size(); });
  std::printf(R"({"name":"filter_1000_%s","us":%.1f,"ns":%.1f,"shown":%zu})"
              "\n",
              what, took / 1'000, took / tools, shown);
  std::printf(R"({"name":"judge_%s","ns":%.1f})"
              "\n",
              what, one_call / 100);
  std::printf(R"({"name":"view_key_%s","ns":%.1f})"
              "\n",
              what, key);
}

// --- tenants -------------------------------------------------------------------------------------

constexpr std::size_t few = 10;
constexpr std::size_t many = 10'000;

template <class F>
config::tenant_index index_of(std::size_t count, F&& select) {
  std::vector<config::tenant> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i].id = "tenant-" + std::to_string(i);
    select(out[i].subjects, std::to_string(i));
  }
  return config::tenant_index(out);
}

/// The same callers ask both indexes.
template <class F>
void measure_tenants(const char* what, F&& select) {
  const auto small = index_of(few, select);
  const auto large = index_of(many, select);
  std::vector<oauth::principal> callers;
  for (std::size_t i = 0; i < few; ++i) callers.push_back(caller(i));
  constexpr int calls = 1'000;
  const auto round = [&callers](const config::tenant_index& in) {
    return nanoseconds([&] {
      for (int i = 0; i < calls; ++i) {
        seen = seen + in.resolve(&callers[static_cast<std::size_t>(i) % few]).index;
      }
    });
  };
  std::vector<double> times_few, times_many;
  for (int i = 0; i < 301; ++i) {
    times_few.push_back(round(small));
    times_many.push_back(round(large));
  }
  const auto ten = median(times_few) / calls;
  const auto all = median(times_many) / calls;
  std::printf(R"({"name":"tenant_%s","ns_10":%.1f,"ns":%.1f,"ratio":%.3f})"
              "\n",
              what, ten, all, all / ten);
}

/// A token as large as they get, each group of which selects a tenant whose gate is closed.
void measure_many_groups() {
  for (const std::size_t groups : {1'000U, 10'000U}) {
    const auto in = index_of(many, [](config::subjects& s, const std::string& n) {
      s.groups = {"group-" + n};
      s.claims["org"] = "closed";
    });
    auto who = caller(0);
    for (std::size_t i = 0; i < groups; ++i) who.groups.push_back("group-" + std::to_string(i));
    const auto took = median_of(101, [&] { seen = seen + in.resolve(&who).index; });
    std::printf(R"({"name":"tenant_%zu_groups","us":%.1f,"ns":%.1f})"
                "\n",
                groups, took / 1'000, took / static_cast<double>(groups));
  }
}

}  // namespace

int main() {
  measure_filter("globs", {"area%_get_*"});
  measure_filter("prefixes", {"list%_*", "set%_*", "area%_get_*"});
  measure_filter("infixes", {"*_list%_*", "*_set%_*", "*_get_*_%"});
  measure_filter("names", {"area%_get_issue_1", "b%", "c%", "d%", "e%", "f%", "g%", "h%", "i%"});
  measure_filter("mixed", {"list%_*", "area%_get_issue_1", "*_set%_*"});
  measure_tenants("claim",
                  [](config::subjects& s, const std::string& n) { s.claims["org"] = "org-" + n; });
  measure_tenants("group",
                  [](config::subjects& s, const std::string& n) { s.groups = {"group-" + n}; });
  measure_tenants("subject",
                  [](config::subjects& s, const std::string& n) { s.subs = {"00u-subject-" + n}; });
  measure_tenants("issuer", [](config::subjects& s, const std::string& n) {
    s.issuers = {"https://login.example.com/" + n};
  });
  measure_tenants("group_of_one_issuer_and_org", [](config::subjects& s, const std::string& n) {
    s.groups = {"group-" + n, "other-" + n};
    s.claims["aud"] = "https://mcp.example.com/mcp";
  });
  measure_many_groups();
}
