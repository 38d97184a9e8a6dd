#include "transport/http/admitted.hpp"

namespace gate::http {
namespace asio = boost::asio;

namespace {

reach reach_of(const asio::ip::address& a) {
  return a.is_v4() ? http::reach_of(ipv4(a.to_v4().to_bytes()))
                   : http::reach_of(ipv6(a.to_v6().to_bytes()));
}

}  // namespace

admitted_endpoints admitted(const endpoints& found, peers whom) {
  if (whom == peers::all) return {found, {}};
  admitted_endpoints out;
  for (const auto& e : found) {
    const auto who = reach_of(e.address());
    if (admits(whom, who))
      out.to.push_back(e);
    else if (out.refused.empty())
      out.refused = e.address().to_string() + " is " + std::string(describe(who)) +
                    ", and only public addresses may be called";
  }
  return out;
}

}  // namespace gate::http
