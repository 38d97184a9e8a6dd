#pragma once
/// A TOML document as JSON values, so that one reader serves all files of clients. Dates and times
/// become text. Pure.
#include <boost/json/object.hpp>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate::clients {

/// Errors say what is wrong and in which line.
result<boost::json::object> read_toml(std::string_view text);

}  // namespace gate::clients
