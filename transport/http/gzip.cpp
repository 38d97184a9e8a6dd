#include "transport/gzip.hpp"

#include <array>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <cstdint>

namespace gate {
namespace {

namespace zlib = boost::beast::zlib;

/// RFC 1952 §2.3: deflate, no flags, no time, fastest algorithm, no system that is known.
constexpr std::string_view head("\x1F\x8B\x08\x00\x00\x00\x00\x00\x04\xFF", 10);
/// Of deflate: the fastest, with a window that batches of spans do not outgrow by much.
constexpr int level = 1, window_bits = 15, memory_level = 8;

/// RFC 1952 §8, eight bytes at a time: a table for each place among them. (A table for one alone
/// takes as long as all the rest.)
constexpr std::size_t lanes = 8;
using crc_tables = std::array<std::array<std::uint32_t, 256>, lanes>;
constexpr crc_tables make_tables() {
  crc_tables out{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    auto c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1U) != 0 ? 0xEDB88320U ^ c >> 1U : c >> 1U;
    out[0][i] = c;
  }
  for (std::size_t lane = 1; lane < lanes; ++lane)
    for (std::size_t i = 0; i < 256; ++i)
      out[lane][i] = out[0][out[lane - 1][i] & 0xFFU] ^ out[lane - 1][i] >> 8U;
  return out;
}
constexpr auto tables = make_tables();

std::uint32_t crc(std::string_view text) {
  std::uint32_t c = ~std::uint32_t{0};
  for (; text.size() >= lanes; text.remove_prefix(lanes)) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto byte = static_cast<std::uint8_t>(text[i]) ^ (i < 4 ? c >> 8 * i & 0xFFU : 0U);
      next ^= tables[lanes - 1 - i][byte];
    }
    c = next;
  }
  for (const char byte : text)
    c = tables[0][(c ^ static_cast<std::uint8_t>(byte)) & 0xFFU] ^ c >> 8U;
  return ~c;
}

void append_little(std::string& out, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
}

}  // namespace

std::string gzip(std::string_view text) {
  zlib::deflate_stream deflate;
  deflate.reset(level, window_bits, memory_level, zlib::Strategy::normal);
  std::string out(head);
  out.resize(head.size() + deflate.upper_bound(text.size()) + 16);
  zlib::z_params p{};
  p.next_in = text.data();
  p.avail_in = text.size();
  p.next_out = out.data() + head.size();
  p.avail_out = out.size() - head.size();
  boost::system::error_code ec;
  deflate.write(p, zlib::Flush::finish, ec);
  out.resize(head.size() + p.total_out);
  append_little(out, crc(text));
  append_little(out, static_cast<std::uint32_t>(text.size()));
  return out;
}

}  // namespace gate
