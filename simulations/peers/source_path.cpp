#include "simulations/peers/source_path.hpp"

namespace gate {

std::string source_path(std::string_view relative) {
  return std::string(GATE_SOURCE_DIR) + '/' + std::string(relative);
}

}  // namespace gate
