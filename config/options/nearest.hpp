#pragma once
/// What somebody meant who has mistyped a word: an option, a key of the document, an id.
#include <span>
#include <string_view>

namespace gate::config {

/// The entry of `known` that `word` most likely was meant to be; empty if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace gate::config
