#include "config/unsupported.hpp"

namespace gate::config {

std::vector<config_problem> unsupported(const structure& p) {
  std::vector<config_problem> out;
  for (const auto& pointer : p.unbuilt) out.push_back({pointer, std::string(unsupported_sentence)});
  return out;
}

}  // namespace gate::config
