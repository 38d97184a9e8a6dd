#pragma once
/// Which secrets a document names: every member whose key ends in `Ref` has the name of an
/// environment variable. Of any text, also one that is no good document. Pure.
#include <string>
#include <string_view>
#include <vector>

namespace gate::config {

/// In the document's order; what is no JSON names nothing.
std::vector<std::string> named_secrets(std::string_view document);

}  // namespace gate::config
