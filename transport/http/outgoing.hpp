#pragma once
/// What goes out to one client: small pieces are gathered until the end of the turn, or until they
/// are many; large ones are written at once, without a copy, as far as the kernel takes them, but
/// not so much that other connections would have to wait; what is left waits, copied. Part of a
/// connection, which waits for the kernel and for the end of the turn when it is told to. Thread:
/// the unit's.
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/http/send_buffer.hpp"

namespace gate::http {

class outgoing {
 public:
  enum class fate : std::uint8_t {
    gathered,     ///< with what came before it
    at_turn_end,  ///< gathered: `flush` has to be called at the end of the turn
    queued,       ///< behind what waits for the kernel
    taken,        ///< by the kernel, all of it
    stuck,        ///< something is left: `go_on` has to be called when the kernel takes more
    goes_on,      ///< the same, and it has taken some since it was stuck
    broken,       ///< the connection
  };

  explicit outgoing(boost::asio::ip::tcp::socket& socket) : socket_(socket) {}

  fate write(std::span<const boost::asio::const_buffer> pieces);
  /// Is there something to be written at the end of the turn?
  bool flush_due() const { return flush_due_; }
  /// The turn ends.
  fate flush();
  /// The kernel takes more.
  fate go_on();

  /// For the kernel?
  bool waits() const { return waits_; }
  std::size_t size() const { return waiting_.size(); }
  std::size_t held() const { return waiting_.held(); }
  void clear() { waiting_.clear(); }

  /// From now on the client has a deadline's time to take a part of what waits; has it?
  void watch();
  bool took_enough() const { return taken() - taken_from_ >= least_taken_; }

 private:
  fate push();
  std::uint64_t taken() const;

  boost::asio::ip::tcp::socket& socket_;
  send_buffer waiting_;           ///< to be written when the socket takes it
  std::uint64_t handed_ = 0;      ///< to the kernel
  std::uint64_t taken_from_ = 0;  ///< `taken` when it was last watched
  std::size_t least_taken_ = 0;   ///< from then to the deadline
  bool flush_due_ = false;
  bool waits_ = false;
};

}  // namespace gate::http
