#pragma once
/// Looks host names up, each on a thread of its own, so that a name server that does not answer for
/// one name holds up no other. Owned by the client of a unit; answers come on the unit's thread.
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/scheduler/io_unit.hpp"

namespace gate::http {

using endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

/// Blocks; any thread. The C library's resolver, or what a test puts in its place.
using resolve_function = std::function<endpoints(const std::string& host, std::uint16_t port,
                                                 boost::system::error_code& ec)>;
endpoints resolve_by_system(const std::string& host, std::uint16_t port,
                            boost::system::error_code& ec);

class lookups {
 public:
  using answer = std::function<void(boost::system::error_code, endpoints)>;

  explicit lookups(scheduler::io_unit& unit, resolve_function resolve = resolve_by_system);
  /// What still runs ends unheard; nobody waits for it.
  ~lookups();
  lookups(const lookups&) = delete;
  lookups& operator=(const lookups&) = delete;

  void start(std::string host, std::uint16_t port, answer then);

 private:
  struct question {
    std::uint64_t id = 0;
    std::string host;
    std::uint16_t port = 0;
  };
  struct link;

  void run(question q);
  void finished(std::uint64_t id, boost::system::error_code ec, endpoints found);

  scheduler::io_unit& unit_;
  resolve_function resolve_;
  std::shared_ptr<link> link_;
  std::unordered_map<std::uint64_t, answer> asked_;
  std::deque<question> waiting_;
  std::uint64_t next_ = 0;
  std::size_t running_ = 0;
};

}  // namespace gate::http
