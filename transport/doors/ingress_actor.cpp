#include "transport/doors/ingress_actor.hpp"

#include "protocol/http/media.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"
#include "transport/parcel.hpp"

namespace gate::doors {
namespace asio = boost::asio;
using asio::ip::tcp;

ingress_actor::ingress_actor(caf::actor_config& cfg, scheduler::io_unit* unit, std::size_t units,
                             const http::server_bounds& bounds,
                             std::shared_ptr<tcp::acceptor> acceptor)
    : pinned(cfg, unit), io_(*unit), acceptor_(std::move(acceptor)) {
  http::server::callbacks call;
  call.arrived = [this](exchange_ptr e) { arrived(std::move(e)); };
  call.body_read = [this](std::uint64_t number) { hand_over(router_, body_read{number}); };
  call.gone = [this](std::uint64_t number) { caf::anon_send(router_, client_gone{number}); };
  call.moved = [this](std::size_t to, std::shared_ptr<http::travelling_connection> c) {
    send_away(to, std::move(c));
  };
  call.emptied = [this] { emptied(); };
  server_ = std::make_unique<http::server>(io_, units, bounds, std::move(call));
  set_down_handler([this](const caf::down_msg& m) {
    if (router_ && router_.address() == m.source) router_ = nullptr;
  });
}

ingress_actor::behavior_type ingress_actor::make_behavior() {
  return {
      [this](serve& m) {
        if (router_) demonitor(router_.address());
        router_ = std::move(m.router);
        monitor(router_);
        if (acceptor_ && !accepting_) {
          accepting_ = true;
          accept();
        }
      },
      [this](adopt& m) {
        server_->adopt(*std::static_pointer_cast<http::travelling_connection>(m.connection));
      },
      [this](drain) -> caf::result<drained> {
        if (acceptor_) {
          boost::system::error_code ec;
          acceptor_->close(ec);
        }
        auto promise = make_response_promise<drained>();
        draining_ = promise;
        server_->drain();
        return promise;
      },
      [this](cut) { server_->cut(); },
      [this](meet& m) { all_ = std::move(m.all); },
      [this](arrived_there) { server_->arrived_there(); },
  };
}

void ingress_actor::on_exit() {
  boost::system::error_code ec;
  if (acceptor_) acceptor_->close(ec);
  server_.reset();
  pause_.reset();
  router_ = nullptr;
  all_.clear();
}

void ingress_actor::arrived(exchange_ptr e) {
  if (router_) return hand_over(router_, arrival{std::move(e)});
  e->respond({503, http::json_type, http::retry_soon}, {R"({"error":"restarting"})"});
}

void ingress_actor::send_away(std::size_t to, std::shared_ptr<http::travelling_connection> c) {
  auto me = caf::actor_cast<ingress_door>(caf::strong_actor_ptr{ctrl()});
  c->home = {nullptr, [me](void*) { caf::anon_send(me, arrived_there{}); }};
  caf::anon_send(all_.at(to), adopt{std::move(c)});
}

void ingress_actor::accept() {
  // The handler must not outlive the actor: it holds a strong reference to it.
  caf::strong_actor_ptr self{ctrl()};
  acceptor_->async_accept([this, self](boost::system::error_code ec, tcp::socket socket) {
    if (ec == asio::error::operation_aborted || !acceptor_->is_open() || !server_) return;
    const scheduler::handler_scope scope(io_);
    if (!ec || ec == asio::error::connection_aborted) {  // aborted: the client was faster
      if (!ec) deal(std::move(socket));
      accept();
    } else {
      accept_failed(ec);
      pause_ = std::make_shared<asio::steady_timer>(io_.context(), limits::accept_pause);
      pause_->async_wait([this, self](boost::system::error_code e) {
        if (!e && server_) accept();
      });
    }
  });
}

void ingress_actor::accept_failed(boost::system::error_code ec) {
  const auto now = std::chrono::steady_clock::now();
  if (last_failure_ == decltype(last_failure_){} || now - last_failure_ > limits::same_trouble)
    log::error("Connections can not be accepted; trying again until it works.",
               {{"error", ec.message()}});
  last_failure_ = now;
}

void ingress_actor::deal(tcp::socket socket) {
  const auto to = next_unit_;
  next_unit_ = all_.empty() ? 0 : (next_unit_ + 1) % all_.size();
  if (to == io_.id() || all_.empty()) return server_->adopt(std::move(socket));
  boost::system::error_code ec;
  const bool v6 = socket.local_endpoint(ec).address().is_v6();
  const int fd = socket.release(ec);
  if (ec) return;
  caf::anon_send(all_[to], adopt{std::make_shared<http::travelling_connection>(fd, v6)});
}

void ingress_actor::emptied() {
  if (!draining_) return;
  draining_->deliver(drained{});
  draining_.reset();
}

}  // namespace gate::doors
