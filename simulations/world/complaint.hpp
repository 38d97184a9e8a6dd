#pragma once
/// What a world finds wrong with itself: actors that never come to rest, a greeting that failed, a
/// configuration that does not load. Not a verdict about a scenario: whoever runs one has a
/// checker for that.
#include <functional>
#include <string>

namespace gate::sim {

/// Told to the listener; without one the process ends with the words on stderr.
void complain(const std::string& what);
/// Replaces the listener for the whole process. The worlds of one process run on one thread.
void on_complaint(std::function<void(const std::string&)> listener);

}  // namespace gate::sim
