#pragma once
/// The JSON Schema (draft-07) of the configuration document, made from config/describe.hpp. It is
/// the structural contract for editors and pipelines; rules between fields are config/validate.hpp.
/// `gate --schema` prints it, and config/gate.config.schema.json is a copy that a test keeps fresh.
#include <string>

namespace gate::config {

/// Pretty printed, ends with a line feed, the same bytes every time.
std::string schema();

}  // namespace gate::config
