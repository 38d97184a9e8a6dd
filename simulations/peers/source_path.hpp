#pragma once
/// Where the checkout lies that this was built from, for who reads its keys, pages and data.

#include <string>
#include <string_view>

namespace gate {

/// The path of `relative`, which is written from the root of the checkout.
std::string source_path(std::string_view relative);

}  // namespace gate
