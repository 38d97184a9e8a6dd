#pragma once
/// Room for one large read, which the connections of a unit share. It is in memory from its first
/// use on.
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <memory>

namespace gate::http {

class read_scratch {
 public:
  static constexpr std::size_t bytes = 64 * 1024;
  const char* data() const { return room_.get(); }
  boost::asio::mutable_buffer buffer() { return {room_.get(), bytes}; }

 private:
  std::unique_ptr<char[]> room_ = std::make_unique_for_overwrite<char[]>(bytes);
};

}  // namespace gate::http
