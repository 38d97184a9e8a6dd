#include "transport/http/outgoing.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gate::http {
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Below this, copying a response costs less than writing it on its own.
constexpr std::size_t gathered_bytes = 16 * 1024;

/// So much is handed to the kernel at a time, which moves it within the call: more of it would hold
/// up all other connections of the unit, milliseconds for megabytes. Then these have their turn.
constexpr std::size_t handed_at_once = 256 * 1024;
/// And so many pieces: a response has fewer.
constexpr std::size_t pieces_at_once = 8;

/// What of them is handed over first.
std::span<const asio::const_buffer> first_of(std::span<const asio::const_buffer> pieces,
                                             std::array<asio::const_buffer, pieces_at_once>& room) {
  std::size_t count = 0;
  for (auto left = handed_at_once; count < std::min(pieces.size(), room.size()) && left > 0;
       ++count) {
    room[count] = asio::buffer(pieces[count], left);
    left -= room[count].size();
  }
  return {room.data(), count};
}

/// The kernel takes nothing now, which is no error.
bool full(error_code ec) {
  return ec == asio::error::would_block || ec == asio::error::try_again;
}

}  // namespace

outgoing::fate outgoing::write(std::span<const asio::const_buffer> pieces) {
  if (!waits_ && size() + asio::buffer_size(pieces) < gathered_bytes) {
    for (const auto& p : pieces) waiting_.append({static_cast<const char*>(p.data()), p.size()});
    return std::exchange(flush_due_, true) ? fate::gathered : fate::at_turn_end;
  }
  std::size_t written = 0;
  const bool alone = !waits_ && waiting_.empty();
  if (alone) {
    error_code ec;
    std::array<asio::const_buffer, pieces_at_once> room;
    written = socket_.write_some(first_of(pieces, room), ec);
    if (ec && !full(ec)) return fate::broken;
    if (ec) written = 0;
    handed_ += written;
  }
  for (const auto& piece : pieces) {
    if (written >= piece.size()) {
      written -= piece.size();
      continue;
    }
    waiting_.append({static_cast<const char*>(piece.data()) + written, piece.size() - written});
    written = 0;
  }
  if (waiting_.empty()) return fate::taken;
  if (waits_) return fate::queued;
  if (!alone) return push();
  waits_ = true;  // the kernel has just had enough, or the others' turn has come
  return fate::stuck;
}

outgoing::fate outgoing::flush() {
  flush_due_ = false;
  if (waits_) return fate::queued;
  if (waiting_.empty()) return fate::taken;  // there was so much that it was written before
  return push();
}

outgoing::fate outgoing::go_on() {
  waits_ = false;
  const auto now = push();
  return now == fate::stuck ? fate::goes_on : now;
}

outgoing::fate outgoing::push() {
  error_code ec;
  const auto n = socket_.write_some(asio::buffer(waiting_.rest(), handed_at_once), ec);
  if (ec && !full(ec)) return fate::broken;
  if (!ec) {
    handed_ += n;
    waiting_.sent(n);
  }
  waits_ = !waiting_.empty();
  return waits_ ? fate::stuck : fate::taken;
}

void outgoing::watch() {
  taken_from_ = taken();
  least_taken_ = least_taken(waiting_.size());
}

/// What the client's kernel has acknowledged so far; only differences mean something. What ours has
/// taken says nothing about the client: it takes megabytes, and asks for more in large steps.
std::uint64_t outgoing::taken() const {
  int queued = 0;
  ::ioctl(socket_.native_handle(), SIOCOUTQ, &queued);
  return handed_ - static_cast<std::uint64_t>(queued);
}

}  // namespace gate::http
