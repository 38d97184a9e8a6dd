#include "transport/http/server.hpp"

#include <unistd.h>

#include <vector>

#include "protocol/limits.hpp"
#include "transport/http/connection.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Deadlines of connections are whole seconds; one coarse sweep checks them all. (A timer per
/// operation costs 3 µs a request.)
constexpr std::chrono::seconds sweep_interval{1};
constexpr std::size_t read_scratch_bytes = 64 * 1024;

}  // namespace

travelling_connection::~travelling_connection() {
  if (fd >= 0) ::close(fd);
}

server::server(scheduler::io_unit& unit, std::size_t units, std::size_t max_body, callbacks call)
    : unit_(unit),
      units_(units),
      max_body_(max_body),
      call_(std::move(call)),
      sweep_timer_(unit.context()) {
  read_scratch_.resize(read_scratch_bytes);
  arm_sweep();
}

server::~server() {
  cut();
}

void server::adopt(tcp::socket socket) {
  if (draining_ || connections_.size() >= limits::client_connections) return;  // closes it
  std::make_shared<connection>(*this, std::move(socket))->start();
}

void server::adopt(travelling_connection& from) {
  boost::system::error_code ec;
  tcp::socket socket(unit_.context());
  socket.assign(from.v6 ? tcp::v6() : tcp::v4(), from.fd, ec);
  if (ec) return;  // the box closes the descriptor
  from.fd = -1;
  if (!from.request) return adopt(std::move(socket));
  if (connections_.size() >= limits::client_connections) return;
  std::make_shared<connection>(*this, std::move(socket))->resume(from);
}

void server::drain() {
  draining_ = true;
  std::vector<std::shared_ptr<connection>> all;
  for (auto* c : connections_) all.push_back(c->shared_from_this());
  for (auto& c : all) c->drain();
  left();
}

void server::cut() {
  std::vector<std::shared_ptr<connection>> all;
  for (auto* c : connections_) all.push_back(c->shared_from_this());
  for (auto& c : all) c->close();
}

void server::arm_sweep() {
  sweep_timer_.expires_after(sweep_interval);
  sweep_timer_.async_wait([this, life = std::weak_ptr(life_)](boost::system::error_code ec) {
    if (ec || life.expired()) return;
    sweep();
    arm_sweep();
    unit_.drain();
  });
}

void server::sweep() {
  now_ = connection::clock::now();
  std::vector<std::shared_ptr<connection>> due;
  for (auto* c : connections_)
    if (c->overdue(now_)) due.push_back(c->shared_from_this());
  for (auto& c : due) c->check_deadline(now_);
}

void server::arrived_there() {
  --on_the_way_;
  left();
}

void server::left() {
  if (draining_ && connections_.empty() && on_the_way_ == 0 && call_.emptied) call_.emptied();
}

}  // namespace gate::http
