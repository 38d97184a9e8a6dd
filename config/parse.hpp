#pragma once
/// Reads the text of a configuration document into plain data and collects everything that is wrong
/// with its structure: syntax, unknown and duplicate fields, types, enums, bounds. Rules between
/// fields are config/validate.hpp; most callers want its `load`, which does both.
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/problem.hpp"

namespace gate::config {

/// What a text says beside its content.
struct structure {
  std::vector<config_problem> problems;  ///< the first `limits::config_problems` of them
  std::size_t untold = 0;                ///< further ones that were found
};

struct parsed : structure {
  document doc;  ///< what could be read; meaningful as a whole only without problems
};

parsed parse(std::string_view text);

/// The same of a discovery source's document. (Most callers want config/discovery.)
struct parsed_discovered : structure {
  discovered_document doc;
};

parsed_discovered parse_discovered(std::string_view text);

}  // namespace gate::config
