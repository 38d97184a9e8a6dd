#pragma once
/// What a discovery source says, and what becomes of it: read like the operator's own document,
/// held within the bounds of section `discovery`, put behind the operator's upstreams, and judged
/// with them as one document. It is taken as a whole or not at all. Pure; asked by LOADER.
///
/// Pointers of problems are places of the document that is to be mended. Where that is the
/// discovery document, the sentence begins with `in_discovery_document`.
#include <cstddef>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/problem.hpp"

namespace gate::config {

inline constexpr std::string_view in_discovery_document = "in the discovery document: ";
/// Of problems of the operator's document that it would not have alone.
inline constexpr std::string_view with_discovery_document =
    "with the upstreams of the discovery document: ";

struct discovered_part {
  std::vector<upstream> upstreams;
  std::vector<config_problem> problems;  ///< if there are any, the upstreams are of no use
};

/// `{"upstreams": […]}` and nothing else.
discovered_part read_discovered(std::string_view text, const discovery_section& rules);

struct merged_document {
  document doc;                     ///< valid if there are no problems
  std::size_t discovered_from = 0;  ///< its upstreams from here on are discovered
  std::vector<config_problem> problems;
};

/// `own` is the operator's document, without discovered upstreams.
merged_document merge(document own, std::vector<upstream> discovered);

}  // namespace gate::config
