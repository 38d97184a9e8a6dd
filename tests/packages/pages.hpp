#pragma once
/// The files of a package that are made of tables: manual pages and completions. The tests compare
/// them with those of scripts/packaging, and with GATE_UPDATE_GOLDEN=1 write them there.
#include <string>
#include <vector>

namespace gate::packages {

struct made_file {
  std::string path;  ///< from the root
  std::string text;
};

std::vector<made_file> manual_pages();
std::vector<made_file> completions();

}  // namespace gate::packages
