#include "protocol/fleet/stream_record.hpp"

#include "protocol/fleet/fields.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {

std::string encode(const resumption& r) {
  auto out = begin(shape::resumption);
  put(out, r.waits, 8);
  put(out, r.event_id);
  return out;
}

std::optional<resumption> read_resumption(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::resumption)) return {};
  resumption r;
  r.waits = f.number(8);
  r.event_id = f.text(limits::fleet_name_bytes);
  if (!f.complete()) return {};
  return r;
}

std::string encode(const stream_piece& p) {
  auto out = begin(shape::stream_piece);
  put(out, p.waits, 8);
  put(out, p.number, 8);
  put(out, static_cast<std::uint64_t>(p.is), 1);
  put(out, p.text);
  return out;
}

std::optional<stream_piece> read_stream_piece(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::stream_piece)) return {};
  stream_piece p;
  p.waits = f.number(8);
  p.number = f.number(8);
  const auto is = f.number(1);
  p.text = f.text(limits::fleet_word_bytes);
  if (!f.complete() || is > static_cast<std::uint64_t>(stream_piece::what::ends)) return {};
  p.is = static_cast<stream_piece::what>(is);
  return p;
}

std::string encode(const stream_mark& m) {
  auto out = begin(shape::stream_mark);
  put(out, m.waits, 8);
  put(out, m.taken, 8);
  put(out, m.gone ? 1 : 0, 1);
  return out;
}

std::optional<stream_mark> read_stream_mark(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::stream_mark)) return {};
  stream_mark m;
  m.waits = f.number(8);
  m.taken = f.number(8);
  const auto gone = f.number(1);
  if (!f.complete() || gone > 1) return {};
  m.gone = gone == 1;
  return m;
}

}  // namespace gate::fleet
