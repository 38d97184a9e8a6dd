#pragma once
/// IP addresses: their textual forms, and who may be reached at them. A service that calls URLs of
/// strangers must not be talked into calling its own network; so it asks here about the very
/// address that it is about to connect to. Pure.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gate::http {

/// In network order.
using ipv4 = std::array<std::uint8_t, 4>;
using ipv6 = std::array<std::uint8_t, 16>;

/// A dotted quad without leading zeros, which resolvers read as octal; no other form.
std::optional<ipv4> read_ipv4(std::string_view text) noexcept;
/// RFC 4291 §2.2, without brackets; zones are refused.
std::optional<ipv6> read_ipv6(std::string_view text) noexcept;

/// Who is at an address. All but `anybody` are no part of the public internet, or may stand for an
/// address that is none.
enum class reach : std::uint8_t {
  anybody,
  unspecified,  ///< this host, in what systems make of it
  loopback,
  private_use,
  carrier_nat,
  link_local,  ///< the metadata services of clouds, too
  unique_local,
  site_local,
  multicast,
  reserved,  ///< by protocols, or for what is to come
  documentation,
  benchmarking,
  embedded_ipv4,  ///< IPv4-mapped, -compatible or -translated
  nat64,
  six_to_four,
  teredo,
  discard,
  orchid,
};

/// By the registries of special-purpose addresses (RFC 6890, IANA). IPv6 is public within 2000::/3
/// only, where all of it that is assigned lies. An address that carries an IPv4 address within is
/// refused, whatever that is: what is behind the translator nobody here can tell.
reach reach_of(const ipv4& address) noexcept;
reach reach_of(const ipv6& address) noexcept;

/// Whom a request may be sent to.
enum class peers : std::uint8_t {
  all,
  public_ones,         ///< `reach::anybody`
  public_or_loopback,  ///< for development
};
constexpr bool admits(peers whom, reach who) noexcept {
  return whom == peers::all || who == reach::anybody ||
         (whom == peers::public_or_loopback && who == reach::loopback);
}

/// With an article: "a loopback address".
std::string_view describe(reach r) noexcept;

}  // namespace gate::http
