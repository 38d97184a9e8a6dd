#pragma once
/// What a gzip member holds.
#include <gtest/gtest.h>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::testing {

inline std::uint32_t little(std::string_view bytes) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i)
    out |= std::uint32_t{static_cast<std::uint8_t>(bytes[i])} << 8 * i;
  return out;
}

/// What it holds; fails if head, length or sum are not right.
inline std::string inflated(const std::string& member) {
  namespace zlib = boost::beast::zlib;
  EXPECT_GE(member.size(), 18U);
  EXPECT_EQ(member.substr(0, 4), std::string("\x1F\x8B\x08\0", 4));
  const auto length = little(std::string_view(member).substr(member.size() - 4));
  std::string out(length, '\0');
  zlib::inflate_stream inflate;
  inflate.reset(15);
  zlib::z_params p{};
  p.next_in = member.data() + 10;
  p.avail_in = member.size() - 18;
  char nothing = 0;
  p.next_out = out.empty() ? &nothing : out.data();
  p.avail_out = out.size();
  boost::system::error_code ec;
  inflate.write(p, zlib::Flush::finish, ec);
  EXPECT_EQ(p.avail_in, 0U);
  EXPECT_EQ(p.total_out, length);
  boost::crc_32_type sum;
  sum.process_bytes(out.data(), out.size());
  EXPECT_EQ(little(std::string_view(member).substr(member.size() - 8)), sum.checksum());
  return out;
}

}  // namespace gate::testing
