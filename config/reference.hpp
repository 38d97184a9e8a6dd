#pragma once
/// The tables of docs/configuration.md, made from config/describe.hpp: every field with its type,
/// default, whether a reload may change it, and whether this build has it.
#include <string>

namespace gate::config {

/// Markdown, a table per section; `gate --config-reference` prints it.
std::string reference();

}  // namespace gate::config
