#include "simulations/stories/documents.hpp"

namespace gate::churn {
namespace {

using std::to_string;

std::string timeouts(std::uint32_t variant) {
  return R"("timeouts":{"connectMs":)" + to_string(connect_timeout.count()) + R"(,"requestMs":)" +
         to_string(request_timeout.count() - variant) +
         R"(},"circuitBreaker":{"failureThreshold":3,"halfOpenAfterMs":)" +
         to_string(half_open_after.count()) + R"(},"cacheTtlMs":5000)";
}

std::string entry_text(const scenario& s, const std::string& id, const wish::entry& e) {
  std::string out = R"({"id":")" + id + R"(","namespace":")" + id + '"';
  if (id == "trio")
    out += R"(,"urls":["http://t1.test/mcp","http://t2.test/mcp","http://t3.test/mcp"],)"
           R"("healthCheck":{"intervalMs":10000},)" +
           timeouts(e.variant);
  else
    out += R"(,"url":"http://)" + id + R"(.test/mcp",)" + timeouts(e.variant);
  const bool shared = s.bird == canary::shared_key && id == "sick";
  out +=
      R"(,"auth":{"strategy":"static","secretRef":")" + key_variable(shared ? "good" : id) + "\"}";
  const auto widened = [&](canary bird, std::int64_t n) {
    return to_string(s.bird == bird ? 10 * n : n);
  };
  if (id == "lim")
    out +=
        R"(,"rateLimit":{"requestsPerMinute":)" + widened(canary::wide_limit, lim_per_minute) + '}';
  if (id == "pen")
    out += R"(,"budget":{"period":"hour","upstreamCalls":)" +
           widened(canary::wide_budget, pen_calls) + '}';
  if (id == "new" && s.bird == canary::wrong_revision)
    out += R"(,"protocol":"2025-11-25")";
  else if (id == "new")
    out += s.seed % 2 ? R"(,"protocol":"auto")" : R"(,"protocol":"2026-07-28")";
  if ((s.seed + e.variant + id.size()) % 2) out += R"(,"listsPerClient":true)";
  if (e.labels) out += R"(,"labels":{"turn":")" + to_string(e.labels) + "\"}";
  return out + '}';
}

/// The last of them lets nobody ask sick. (A rule may only name upstreams that are configured.)
std::string policy_text(const wish& w, const scenario& s) {
  const bool narrow = s.guarded && s.bird != canary::open_policy;
  const std::string names = narrow ? R"(,"names":["echo","t*","x://*"])" : "";
  if (s.guarded && w.policy % 4 != 3)
    return R"(,"policy":{"rules":[{"id":"all","allow":[{"server":"*")" + names + "}]}]}";
  if (w.policy % 4 == 1) return R"(,"policy":{"defaultDecision":"allow","rules":[]})";
  if (w.policy % 4 == 2) return R"(,"policy":{"rules":[{"id":"all","allow":[{"server":"*"}]}]})";
  if (w.policy % 4 == 0) return {};
  std::string grants;
  for (std::size_t i = 0; i < w.entries.size(); ++i)
    if (w.entries[i].present && s.upstreams[i] != "sick")
      grants += (grants.empty() ? R"({"server":")" : R"(,{"server":")") + s.upstreams[i] + '"' +
                names + '}';
  return R"(,"policy":{"rules":[{"id":"most","allow":[)" + grants + "]}]}";
}

/// What can not change while it runs.
std::string server_text(const scenario& s) {
  std::string out = R"(,"server":{"sessionIdleTimeoutMs":)" +
                    to_string(std::chrono::milliseconds(session_idle).count());
  if (s.requests_per_minute)
    out += R"(,"rateLimit":{"requestsPerMinute":)" + to_string(s.requests_per_minute) + '}';
  out += '}';
  if (s.discovery)
    out += R"(,"discovery":{"url":"https://registry.test/upstreams","intervalMs":10000})";
  return out;
}

}  // namespace

std::string key_of(std::string_view upstream) {
  return std::string(key_begins) + std::string(upstream);
}

std::string key_variable(std::string_view upstream) {
  std::string out = "KEY_";
  for (const char c : upstream) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool stays(const scenario& s, std::string_view upstream) {
  return upstream == "good" || upstream == "lim" || upstream == "pen" || upstream == "new" ||
         (upstream == "trio" && s.steady);
}

void change(wish& w, const scenario& s, std::uint32_t how, std::uint32_t whom) {
  const auto i = whom % w.entries.size();
  auto& e = w.entries[i];
  const bool free = !stays(s, s.upstreams[i]);
  switch (how % 6) {
    case 0:
    case 1:
      if (free) e.present = !e.present;
      break;
    case 2:
      if (free) ++e.variant;
      break;
    case 3:
      ++e.labels;
      break;
    case 4:
      w.first = i;
      break;
    default:
      w.policy = whom;
  }
}

std::string document(const wish& w, const scenario& s) {
  std::string out = R"({"upstreams":[)";
  for (std::size_t n = 0; n < w.entries.size(); ++n) {
    const auto i = (w.first + n) % w.entries.size();
    if (!w.entries[i].present) continue;
    if (!out.ends_with('[')) out += ',';
    out += entry_text(s, s.upstreams[i], w.entries[i]);
  }
  return out + ']' + policy_text(w, s) + server_text(s) + '}';
}

std::string bad_document(const wish& w, const scenario& s, std::uint32_t which) {
  const auto good = document(w, s);
  switch (which % bad_documents) {
    case 0:
      return "nonsense";
    case 1:  // cut off
      return good.substr(0, good.size() / 2);
    case 2:  // an unknown member
      return R"({"surprise":1,)" + good.substr(1);
    case 3:  // no upstream has a namespace
      return R"({"upstreams":[{"id":"x","url":"http://good.test/mcp"},{"id":"y"}]})";
    case 4:  // the same id twice
      return R"({"upstreams":[{"id":"good","url":"http://good.test/mcp","namespace":"x"},)" +
             good.substr(std::string_view(R"({"upstreams":[)").size());
    default:  // what can not change while it runs
      return R"({"routing":{"pageSize":7},)" + good.substr(1);
  }
}

std::string registry_document(std::uint32_t which) {
  const auto entry = [](std::string_view id, std::string_view space, std::uint32_t variant) {
    return R"({"id":")" + std::string(id) + R"(","namespace":")" + std::string(space) +
           R"(","url":"http://)" + std::string(id) + R"(.test/mcp",)" + timeouts(variant) + '}';
  };
  const auto all = [](const std::string& entries) { return R"({"upstreams":[)" + entries + "]}"; };
  switch (which % registry_answers) {
    case 0:
      return all(entry("d1", "d1", 0));
    case full_registry_answer:
      return all(entry("d1", "d1", 0) + ',' + entry("d2", "d2", 0));
    case 2:
      return all({});
    case 3:
      return all(entry("d2", "d2", 1) + ',' + entry("d1", "d1", 1));
    case 4:
      return all(entry("d1", "d1", 0) + ',' + entry("good", "other", 0));
    case 5:
      return all(entry("d2", "good", 0));
    case 6:
      return all(entry("d1", "d1", 0)).substr(0, 40);
    default:  // no document at all
      return {};
  }
}

}  // namespace gate::churn
