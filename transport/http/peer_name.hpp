#pragma once
/// How a client's address is called where requests are counted by addresses.
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

namespace gate::http {

/// An IPv4 address, also one that came in IPv6's clothes; of other IPv6 addresses the network of 64
/// bits: whoever has one of its addresses has all of them.
inline std::string peer_name(boost::asio::ip::address a) {
  namespace ip = boost::asio::ip;
  if (a.is_v4()) return a.to_string();
  const auto v6 = a.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return ip::make_address_v6(bytes).to_string() + "/64";
}

/// Of a connection; empty if the client is gone. Asked for when it begins: an address that could be
/// lost later would be a way out of what is counted by addresses.
inline std::string peer_name(const boost::asio::ip::tcp::socket& s) {
  boost::system::error_code ec;
  const auto from = s.remote_endpoint(ec);
  return ec ? std::string{} : peer_name(from.address());
}

}  // namespace gate::http
