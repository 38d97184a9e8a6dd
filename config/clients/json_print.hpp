#pragma once
/// JSON as a person writes it: two spaces a level, and what is short on one line. Pure.
#include <boost/json/value.hpp>
#include <string>

namespace gate::clients {

std::string printed(const boost::json::value& v);

}  // namespace gate::clients
