#pragma once
/// Rules between the fields of a configuration document: what the structure alone (types, enums,
/// bounds: config/parse.hpp) cannot tell. `gate --validate`, the boot, a reload and discovery all
/// ask here, so a document is either good everywhere or nowhere. Pure: no secret is resolved, no
/// host is looked up.
#include <span>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/parse.hpp"
#include "config/problem.hpp"

namespace gate::config {

/// Everything that is wrong with `doc`. Problems that only follow from one of `known` (a duplicate
/// of it, or a rule that reads a field which could not be read) are left out.
std::vector<config_problem> validate(const document& doc,
                                     std::span<const config_problem> known = {});

/// `parse` and `validate` together: all problems of a text at once.
parsed load(std::string_view text);

}  // namespace gate::config
