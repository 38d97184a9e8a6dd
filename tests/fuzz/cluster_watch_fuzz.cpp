// What an API server of Kubernetes says in a list and a watch gives the same document however it is
// cut, and one that the gateway reads.
#include <string>
#include <vector>

#include "actors/kubernetes/list_watch.hpp"
#include "actors/kubernetes/service_table.hpp"
#include "config/discovery/discovered.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
using namespace gate::kubernetes;

namespace {

struct outcome {
  std::string text, trouble, ask;
  bool operator==(const outcome&) const = default;
};

void apply(service_table& to, step& s) {
  if (s.all) to.replace(std::move(*s.all));
  for (auto& c : s.changes) {
    if (c.gone)
      to.remove(c.what);
    else
      to.put(std::move(c.what));
  }
}

/// The first line is a page, all behind it a watch.
outcome hear(std::string_view text, std::size_t first, std::size_t size) {
  list_watch core({"", "", ""}, [] { return 0.5; });
  service_table table({});
  const list_watch::time_point now{std::chrono::hours(1)};
  const auto end = std::min(text.find('\n'), text.size());
  core.begin();
  core.on_began({0, 200, {}}, now);
  core.on_said(text.substr(0, end));
  auto s = core.on_ended({0, follow_end::complete, {}}, now);
  apply(table, s);
  if (!s.all) return {table.document().text, s.trouble, s.ask.value_or("")};
  core.on_began({0, 200, {}}, now);
  auto rest = text.substr(std::min(end + 1, text.size()));
  for (auto n = first; !rest.empty(); n = size) {
    s = core.on_said(rest.substr(0, n));
    apply(table, s);
    if (s.drop) return {table.document().text, s.trouble, ""};
    rest.remove_prefix(std::min(n, rest.size()));
  }
  s = core.on_ended({0, follow_end::complete, {}}, now + limits::cluster_well);
  require(s.ask.has_value(), "a watch that ended well does not go on");
  return {table.document().text, "", *s.ask};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  const auto first = std::size_t{take_byte(text)} + 1;
  const auto step = std::size_t{take_byte(text)} % 60 + 1;
  const auto whole = hear(text, text.size() + 1, 1);
  require(whole == hear(text, first, step), "cut differently differs");
  require(whole == hear(text, 1, 1), "byte by byte differs");
  require(whole.ask.find_first_of(" \r\n") == std::string::npos, "a question in two lines");
  config::discovery_section rules;
  rules.allowed_credential_hosts = config::text_list{"*.svc.cluster.local"};
  auto read = config::read_discovered(whole.text, rules);
  require(read.problems.empty(), "the gateway does not read the document");
  require(read.upstreams.empty() || config::merge({}, std::move(read.upstreams)).problems.empty(),
          "the gateway refuses the document");
  return 0;
}
