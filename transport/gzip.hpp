#pragma once
/// Bodies in gzip (RFC 1952), for receivers that take them so.
#include <string>
#include <string_view>

namespace gate {

/// One member, compressed fast rather than well.
std::string gzip(std::string_view text);

}  // namespace gate
