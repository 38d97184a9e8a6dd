#include "config/diff.hpp"

#include "config/describe.hpp"

namespace gate::config {
namespace {

struct comparer {
  const document& running;
  const document& wanted;
  std::vector<std::string_view> changed;

  template <class M>
  void operator()(M document::*member, const field& f) {
    if (f.effect == change::restart && running.*member != wanted.*member) changed.push_back(f.key);
  }
};

}  // namespace

std::vector<std::string_view> needs_restart(const document& running, const document& wanted) {
  comparer c{running, wanted, {}};
  describe(c, of<document>{});
  return std::move(c.changed);
}

std::vector<config_problem> restart_problems(const document& running, const document& wanted) {
  std::vector<config_problem> out;
  for (auto key : needs_restart(running, wanted)) {
    out.push_back({join_pointer("", key),
                   "the " + std::string(key) + " section cannot change without a restart"});
  }
  return out;
}

}  // namespace gate::config
