#pragma once
/// ADMITTED: which addresses of a host a request may be sent to. What is asked here is what is
/// connected to, in the same turn and without another look-up: there is no moment in which a name
/// server could change its mind. Pure.
#include <string>

#include "protocol/http/address.hpp"
#include "transport/http/lookups.hpp"

namespace gate::http {

struct admitted_endpoints {
  endpoints to;
  std::string refused;  ///< of the first that is not among them: which it is, and why; or empty
};
admitted_endpoints admitted(const endpoints& found, peers whom);

}  // namespace gate::http
