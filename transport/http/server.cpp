#include "transport/http/server.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/http/burden.hpp"
#include "transport/http/connection.hpp"
#include "transport/log.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

bool worth_telling(std::chrono::steady_clock::time_point& last,
                   std::chrono::steady_clock::time_point now) {
  const bool is_new =
      last == std::chrono::steady_clock::time_point{} || now - last > limits::same_trouble;
  last = now;
  return is_new;
}

}  // namespace

travelling_connection::travelling_connection(int fd, bool v6) : fd(fd), v6(v6) {}

travelling_connection::~travelling_connection() {
  if (fd >= 0) ::close(fd);
}

server::server(scheduler::io_unit& unit, std::size_t units, const server_bounds& bounds,
               callbacks call)
    : unit_(unit),
      units_(units),
      bounds_(bounds),
      call_(std::move(call)),
      sweep_timer_(unit.context()),
      // Whatever one body may be, a few of them find room.
      room_{.clients = {},
            .bodies = body_room(std::max(bounds.bodies, 8 * bounds.body)),
            .now = bounds.now()} {
  arm_sweep();
}

server::~server() {
  cut();
}

void server::adopt(tcp::socket socket) {
  if (draining_ || !make_room()) return;  // closes it
  std::make_shared<connection>(*this, std::move(socket))->start();
}

void server::adopt(travelling_connection& from) {
  boost::system::error_code ec;
  tcp::socket socket(unit_.context());
  socket.assign(from.v6 ? tcp::v6() : tcp::v4(), from.fd, ec);
  if (ec) return;  // the box closes the descriptor
  from.fd = -1;
  if (!from.request) return adopt(std::move(socket));
  if (!make_room()) return;
  std::make_shared<connection>(*this, std::move(socket))->resume(from);
}

/// For one more connection; false: there is none.
bool server::make_room() {
  if (room_.clients.size() < bounds_.connections) return true;
  if (auto* leaves = room_.clients.yields(room_.now)) {
    leaves->cut_off();
    return true;
  }
  if (worth_telling(last_refusal_, room_.now))
    log::warn("There are as many client connections as may be, all in use; others are refused.",
              {{"connections", std::to_string(room_.clients.size())}});
  return false;
}

/// If more waits for clients than may, those go whose taking their time costs most, until an eighth
/// is free again: whoever takes the `longest` perhaps. But an answer may be larger than all that
/// may wait: whoever takes one is not in the way before there are others like it.
void server::relieve_waiting(std::size_t longest) {
  bounds_.waiting = std::max(bounds_.waiting, 2 * longest);
  if (room_.waiting <= bounds_.waiting) return;
  std::vector<std::pair<burden, std::shared_ptr<connection>>> all;
  room_.clients.for_each([&](connection& c) {
    if (const auto b = c.place().of_waiting(); b.bytes > 0)
      all.emplace_back(b, c.shared_from_this());
  });
  const auto go = heaviest(std::move(all), room_.waiting - (bounds_.waiting - bounds_.waiting / 8));
  for (const auto& c : go) c->cut_off();
  if (worth_telling(last_relief_, room_.now))
    log::warn(
        "Clients take their answers so slowly that too much waits for them; some are cut off.",
        {{"clients", std::to_string(go.size())}, {"bytes", std::to_string(bounds_.waiting)}});
}

/// More bodies have come in part than may. Whoever is `reading` delivers its own flaw.
void server::relieve_bodies(connection& reading) {
  for (const bool known : {false, true}) {
    const auto excess = room_.bodies.excess(known);
    if (excess == 0) continue;
    std::vector<std::pair<burden, std::shared_ptr<connection>>> all;
    room_.clients.for_each([&](connection& c) {
      if (const auto b = c.place().of_body(); b.bytes > 0 && c.place().known() == known)
        all.emplace_back(b, c.shared_from_this());
    });
    for (const auto& c : heaviest(std::move(all), excess)) c->refuse_body(c.get() != &reading);
  }
}

void server::drain() {
  draining_ = true;
  std::vector<std::shared_ptr<connection>> all;
  room_.clients.for_each([&](connection& c) { all.push_back(c.shared_from_this()); });
  for (auto& c : all) c->drain();
  left();
}

void server::cut() {
  std::vector<std::shared_ptr<connection>> all;
  room_.clients.for_each([&](connection& c) { all.push_back(c.shared_from_this()); });
  for (auto& c : all) c->close();
}

void server::arm_sweep() {
  sweep_timer_.expires_after(limits::sweep);
  sweep_timer_.async_wait([this, life = std::weak_ptr(life_)](boost::system::error_code ec) {
    if (ec || life.expired()) return;
    const scheduler::handler_scope scope(unit_);
    sweep();
    arm_sweep();
  });
}

void server::sweep() {
  room_.now = bounds_.now();
  std::vector<std::shared_ptr<connection>> due;
  room_.clients.for_each([&](connection& c) {
    if (c.place().due()) due.push_back(c.shared_from_this());
  });
  for (auto& c : due) c->overdue();
}

void server::arrived_there() {
  --on_the_way_;
  left();
}

void server::left() {
  if (draining_ && room_.clients.size() == 0 && on_the_way_ == 0 && call_.emptied) call_.emptied();
}

}  // namespace gate::http
