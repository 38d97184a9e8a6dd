#include "simulations/runs/shorten.hpp"

#include <algorithm>

namespace gate::runs {

std::string subject_of(const std::vector<std::string>& complaints) {
  return complaints.empty() ? std::string{}
                            : complaints.front().substr(0, complaints.front().find(' '));
}

namespace {

/// Without operations that it can spare.
plot_ptr with_fewer_operations(plot_ptr from, const teller& tell, const std::string& why) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (std::size_t size = std::max<std::size_t>(1, from->length() / 4); size > 0; size /= 2) {
      for (std::size_t i = 0; i + size <= from->length();) {
        auto without = from->without(i, size);
        if (subject_of(tell(*without)) == why) {
          from = std::move(without);
          shorter = true;
        } else {
          i += size;
        }
      }
    }
  }
  return from;
}

/// The first of its simpler ones that fails as well, as long as there is one.
bool simplify(plot_ptr& from, const teller& tell, const std::string& why) {
  bool any = false;
  for (bool simpler = true; simpler;) {
    simpler = false;
    for (auto& s : from->simpler()) {
      if (subject_of(tell(*s)) != why) continue;
      from = std::move(s);
      any = simpler = true;
      break;
    }
  }
  return any;
}

}  // namespace

plot_ptr shorten(plot_ptr from, const teller& tell) {
  const auto why = subject_of(tell(*from));
  from = with_fewer_operations(std::move(from), tell, why);
  // Under simpler conditions it may need still less.
  while (simplify(from, tell, why)) {
    const auto before = from->length();
    from = with_fewer_operations(std::move(from), tell, why);
    if (from->length() == before) break;
  }
  return from;
}

}  // namespace gate::runs
