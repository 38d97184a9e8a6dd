#pragma once
/// The JSON Schema (2020-12) of a line of a recording, made of the tables of event.hpp and
/// shapes.hpp: `gate-sim show --schema` prints it, docs/recording.schema.json is a copy.
#include <string>

namespace gate::recording {

std::string schema();

}  // namespace gate::recording
