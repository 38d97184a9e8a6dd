#include "simulations/world/heard_log.hpp"

#include <algorithm>

#include "transport/log.hpp"

namespace gate::sim {
namespace {

std::vector<std::string>& log_lines() {
  static std::vector<std::string> lines;
  return lines;
}

}  // namespace

heard_log::heard_log() {
  log_lines().clear();
  log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
}

heard_log::~heard_log() {
  log::redirect(nullptr);
}

const std::vector<std::string>& heard_log::log() {
  return log_lines();
}

std::size_t heard_log::logged(std::string_view part) {
  return static_cast<std::size_t>(std::ranges::count_if(
      log_lines(), [&](const std::string& line) { return line.find(part) != line.npos; }));
}

}  // namespace gate::sim
