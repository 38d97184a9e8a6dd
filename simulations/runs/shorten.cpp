#include "simulations/runs/shorten.hpp"

#include <algorithm>

namespace gate::runs {

std::string subject_of(const std::vector<std::string>& complaints) {
  return complaints.empty() ? std::string{}
                            : complaints.front().substr(0, complaints.front().find(' '));
}

plot_ptr shorten(plot_ptr from, const teller& tell) {
  const auto why = subject_of(tell(*from));
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

}  // namespace gate::runs
