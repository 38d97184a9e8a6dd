#include "protocol/http/address.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>

#include "protocol/http/ascii.hpp"

namespace gate::http {
namespace {

template <class Address>
struct network {
  Address prefix;
  unsigned bits;
  reach who;
};

bool within(std::span<const std::uint8_t> address, std::span<const std::uint8_t> prefix,
            unsigned bits) {
  const auto whole = bits / 8, rest = bits % 8;
  if (!std::ranges::equal(address.first(whole), prefix.first(whole))) return false;
  return rest == 0 || (address[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

/// Of the networks that an address lies in, the first.
template <class Address, std::size_t N>
std::optional<reach> look_up(const Address& address,
                             const std::array<network<Address>, N>& networks) {
  for (const auto& n : networks)
    if (within(address, n.prefix, n.bits)) return n.who;
  return {};
}

constexpr std::array<network<ipv4>, 18> networks4{{
    {{0}, 8, reach::unspecified},  // "this network"; Linux connects 0.0.0.0 to itself
    {{10}, 8, reach::private_use},
    {{100, 64}, 10, reach::carrier_nat},
    {{127}, 8, reach::loopback},
    {{169, 254}, 16, reach::link_local},
    {{172, 16}, 12, reach::private_use},
    {{192, 0, 0}, 24, reach::reserved},  // protocol assignments
    {{192, 0, 2}, 24, reach::documentation},
    {{192, 31, 196}, 24, reach::reserved},    // AS112
    {{192, 52, 193}, 24, reach::reserved},    // multicast tunnels (AMT)
    {{192, 88, 99}, 24, reach::six_to_four},  // its relays
    {{192, 168}, 16, reach::private_use},
    {{192, 175, 48}, 24, reach::reserved},  // AS112
    {{198, 18}, 15, reach::benchmarking},
    {{198, 51, 100}, 24, reach::documentation},
    {{203, 0, 113}, 24, reach::documentation},
    {{224}, 4, reach::multicast},
    {{240}, 4, reach::reserved},  // and the broadcast address
}};

constexpr std::array<network<ipv6>, 23> networks6{{
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 128, reach::unspecified},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, reach::loopback},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96, reach::embedded_ipv4},  // mapped
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 96, reach::embedded_ipv4},        // compatible
    {{0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0}, 96, reach::embedded_ipv4},  // translated
    {{0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0}, 96, reach::nat64},
    {{0x00, 0x64, 0xFF, 0x9B, 0, 1}, 48, reach::nat64},  // of a network's own
    {{0x01, 0x00, 0, 0, 0, 0, 0, 0}, 64, reach::discard},
    {{0x01, 0x00, 0, 0, 0, 0, 0, 1}, 64, reach::discard},  // "dummy" (RFC 9780)
    {{0x20, 0x01, 0, 0}, 32, reach::teredo},
    {{0x20, 0x01, 0, 2, 0, 0}, 48, reach::benchmarking},
    {{0x20, 0x01, 0, 0x10}, 28, reach::orchid},
    {{0x20, 0x01, 0, 0x20}, 28, reach::orchid},
    {{0x20, 0x01, 0x0D, 0xB8}, 32, reach::documentation},
    {{0x20, 0x01, 0, 0}, 23, reach::reserved},  // protocol assignments
    {{0x20, 0x02}, 16, reach::six_to_four},
    {{0x26, 0x20, 0, 0x4F, 0x80, 0}, 48, reach::reserved},  // AS112
    {{0x3F, 0xFE}, 16, reach::reserved},                    // the 6bone, given back
    {{0x3F, 0xFF, 0}, 20, reach::documentation},
    {{0xFC}, 7, reach::unique_local},
    {{0xFE, 0x80}, 10, reach::link_local},
    {{0xFE, 0xC0}, 10, reach::site_local},
    {{0xFF}, 8, reach::multicast},
}};

constexpr ipv6 assigned{0x20};
constexpr unsigned assigned_bits = 3;

}  // namespace

std::optional<ipv4> read_ipv4(std::string_view text) noexcept {
  ipv4 out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto part = text.substr(0, i < 3 ? text.find('.') : text.npos);
    if (!all_digits(part) || part.size() > 3 || (part.size() > 1 && part.front() == '0')) return {};
    const auto end = part.data() + part.size();
    if (std::from_chars(part.data(), end, out[i]).ec != std::errc{}) return {};
    text.remove_prefix(part.size());
    if (i < 3 && !text.starts_with('.')) return {};
    if (i < 3) text.remove_prefix(1);
  }
  return out;
}

std::optional<ipv6> read_ipv6(std::string_view text) noexcept {
  ipv6 out{};
  std::size_t count = 0, gap = out.size() + 1;  // in bytes
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    const auto group = text.substr(0, text.find(':'));
    if (group.find('.') != group.npos) {  // the last 32 bits as a dotted quad
      const auto v4 = read_ipv4(group);
      if (!v4 || group.size() != text.size() || count + 4 > out.size()) return {};
      std::ranges::copy(*v4, out.begin() + static_cast<std::ptrdiff_t>(count));
      count += 4;
      break;
    }
    const auto end = group.data() + group.size();
    std::uint16_t bits = 0;
    if (group.empty() || group.size() > 4 || count == out.size()) return {};
    if (std::from_chars(group.data(), end, bits, 16).ptr != end) return {};
    out[count++] = static_cast<std::uint8_t>(bits >> 8);
    out[count++] = static_cast<std::uint8_t>(bits & 0xFF);
    text.remove_prefix(group.size());
    if (text.empty()) break;
    text.remove_prefix(1);
    if (text.empty()) return {};
    if (text.front() == ':') {
      if (gap <= out.size()) return {};
      gap = count;
      text.remove_prefix(1);
    }
  }
  if (gap > out.size()) return count == out.size() ? std::optional(out) : std::nullopt;
  if (count == out.size()) return {};
  const auto at = [&out](std::size_t n) { return out.begin() + static_cast<std::ptrdiff_t>(n); };
  std::rotate(at(gap), at(count), out.end());
  return out;
}

reach reach_of(const ipv4& address) noexcept {
  return look_up(address, networks4).value_or(reach::anybody);
}

reach reach_of(const ipv6& address) noexcept {
  if (const auto who = look_up(address, networks6)) return *who;
  return within(address, assigned, assigned_bits) ? reach::anybody : reach::reserved;
}

std::string_view describe(reach r) noexcept {
  constexpr std::array<std::string_view, 18> words{"a public address",
                                                   "an unspecified address",
                                                   "a loopback address",
                                                   "a private address",
                                                   "an address of a carrier's network (CGNAT)",
                                                   "a link-local address",
                                                   "a unique local address",
                                                   "a site-local address",
                                                   "a multicast address",
                                                   "a reserved address",
                                                   "an address for documentation",
                                                   "an address for benchmarks",
                                                   "an IPv4 address within IPv6",
                                                   "a NAT64 address",
                                                   "a 6to4 address",
                                                   "a Teredo address",
                                                   "an address that discards",
                                                   "an ORCHID"};
  return words[static_cast<std::size_t>(r)];
}

}  // namespace gate::http
