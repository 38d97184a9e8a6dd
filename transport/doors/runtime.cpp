#include "transport/runtime.hpp"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>
#include <csignal>
#include <variant>

#include "protocol/limits.hpp"
#include "transport/doors/children_actor.hpp"
#include "transport/doors/ingress_actor.hpp"
#include "transport/doors/watch_actor.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/process/port_owner.hpp"
#include "transport/process/trimmer.hpp"
#include "transport/scheduler/coordinator.hpp"

namespace gate {
namespace asio = boost::asio;
using asio::ip::tcp;

struct runtime::system_config : caf::actor_system_config {
  explicit system_config(std::size_t threads) {
    load<scheduler::coordinator>();
    set("scheduler.max-threads", threads);
    // An actor that always has a message must not keep the sockets of its unit waiting.
    set("scheduler.max-throughput", std::size_t{32});
    set("logger.inline-output", true);  // CAF's own log needs no thread: it is compiled out
  }
};

namespace {

/// How many client connections each unit may have.
std::size_t clients_of_unit(const runtime::options& o) {
  auto limit = o.owns_process ? raise_descriptor_limit() : descriptor_limit();
  if (o.descriptors > 0) limit = std::min(limit, o.descriptors);
  const auto each = connections_within(limit, o.threads, o.own_descriptors);
  if (o.listens && o.threads * each < limits::few_connections)
    log::warn("The limit of open files leaves room for few clients.",
              {{"limit", std::to_string(limit)}, {"clients", std::to_string(o.threads * each)}});
  return each;
}

listening_trouble taken(const std::string& where, std::uint16_t port) {
  listening_trouble out{"can not listen on " + where + ": the address is in use", {}, true};
  if (auto owner = process::find_port_owner(port)) {
    out.what += " by " + owner->name + " (process " + std::to_string(owner->pid) + ')';
    out.owner = std::move(owner->name);
  }
  out.what += "; choose another --port";
  return out;
}

/// Has the address, and does not listen yet.
std::variant<tcp::acceptor, listening_trouble> bind_to(asio::io_context& context,
                                                       const std::string& host,
                                                       std::uint16_t port) {
  boost::system::error_code ec;
  tcp::resolver resolver(context);
  auto found = resolver.resolve(host, std::to_string(port),
                                tcp::resolver::passive | tcp::resolver::numeric_service, ec);
  const auto where = host + ":" + std::to_string(port);
  if (ec || found.empty())
    return listening_trouble{
        "can not resolve the address to listen on, " + where + ": " + ec.message(), {}, false};
  const auto endpoint = found.begin()->endpoint();
  tcp::acceptor acceptor(context);
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (ec == asio::error::address_in_use) return taken(where, port);
  if (ec) return listening_trouble{"can not listen on " + where + ": " + ec.message(), {}, false};
  return acceptor;
}

result<std::shared_ptr<tcp::acceptor>> listen(asio::io_context& context, const std::string& host,
                                              std::uint16_t port) {
  auto bound = bind_to(context, host, port);
  if (auto* wrong = std::get_if<listening_trouble>(&bound)) return problem{std::move(wrong->what)};
  auto acceptor = std::make_shared<tcp::acceptor>(std::get<tcp::acceptor>(std::move(bound)));
  boost::system::error_code ec;
  acceptor->listen(asio::socket_base::max_listen_connections, ec);
  const auto where = host + ":" + std::to_string(port);
  if (ec == asio::error::address_in_use) return problem{taken(where, port).what};
  if (ec) return problem{"can not listen on " + where + ": " + ec.message()};
  return acceptor;
}

}  // namespace

struct runtime::state {
  explicit state(std::size_t threads) : config(threads), system(config) {}
  std::optional<process::trimmer> trimmer;
  system_config config;
  caf::actor_system system;
  std::vector<unit_doors> units;
  std::vector<doors::ingress_door> ingresses;
  std::vector<store_handle> stores;
  watch_handle watch;
  std::uint16_t port = 0;
};

runtime::runtime() = default;

result<std::unique_ptr<runtime>> runtime::start(const options& o) {
  std::optional<without_signals> shy;
  if (o.owns_process) {
    // A reader of our output that has gone is an error of write(), not the end of the process.
    // (Sockets never raise the signal.)
    std::signal(SIGPIPE, SIG_IGN);
  } else {
    shy.emplace();
  }
  std::unique_ptr<runtime> out(new runtime);
  out->state_ = std::make_unique<state>(o.threads);
  auto& s = *out->state_;
  if (o.owns_process && o.listens) s.trimmer.emplace();
  auto& coordinator = scheduler::coordinator::of(s.system);
  // Nobody connects before it is known that the store is there.
  if (o.store) {
    for (std::size_t i = 0; i < coordinator.size(); ++i)
      s.stores.push_back(o.store->spawn(s.system, &coordinator.unit(i)));
    if (auto wrong = o.store->open()) return *wrong;
  }
  std::shared_ptr<tcp::acceptor> acceptor;
  if (o.listens) {
    auto bound = listen(coordinator.unit(0).context(), o.host, o.port);
    if (!bound) return bound.error();
    acceptor = std::move(*bound);
    s.port = acceptor->local_endpoint().port();
  }
  http::server_bounds bounds;
  bounds.body = o.max_body_bytes;
  bounds.connections = clients_of_unit(o);
  bounds.waiting = o.waiting_bytes;
  bounds.bodies = o.bodies_bytes;
  bounds.now = o.now;
  const auto tasks = coordinator.size() > 1 ? std::make_shared<task_units>() : nullptr;
  bounds.tasks = tasks;
  std::vector<ingress_handle> all;
  for (std::size_t i = 0; i < coordinator.size(); ++i) {
    auto* unit = &coordinator.unit(i);
    auto ingress = s.system.spawn<doors::ingress_actor>(
        unit, coordinator.size(), bounds, i == 0 ? acceptor : std::shared_ptr<tcp::acceptor>{});
    s.ingresses.push_back(ingress);
    all.emplace_back(ingress);
    s.units.push_back({unit,
                       ingress,
                       o.egress ? o.egress(s.system, unit) : egress_handle{},
                       o.store ? s.stores[i] : store_handle{},
                       {},
                       tasks});
    if (o.keeper) s.units.back().children = s.system.spawn<doors::children_actor>(unit, o.keeper);
  }
  for (auto& ingress : s.ingresses) caf::anon_send(ingress, doors::meet{all});
  s.watch = s.system.spawn<doors::watch_actor>(&coordinator.unit(0), o.owns_process, o.watch);
  return out;
}

runtime::~runtime() {
  if (!state_) return;
  for (auto& u : state_->units) {
    caf::anon_send_exit(u.ingress, caf::exit_reason::kill);
    if (u.egress) caf::anon_send_exit(u.egress, caf::exit_reason::kill);
    if (u.children) caf::anon_send_exit(u.children, caf::exit_reason::kill);
  }
  for (auto& store : state_->stores) caf::anon_send_exit(store, caf::exit_reason::kill);
  if (state_->watch) caf::anon_send_exit(state_->watch, caf::exit_reason::kill);
  state_->units.clear();
  state_->ingresses.clear();
  state_->stores.clear();
  state_->watch = nullptr;
}

caf::actor_system& runtime::system() {
  return state_->system;
}
const std::vector<unit_doors>& runtime::units() const {
  return state_->units;
}
const watch_handle& runtime::watch() const {
  return state_->watch;
}
std::uint16_t runtime::port() const {
  return state_->port;
}

std::optional<listening_trouble> could_not_listen(const std::string& host, std::uint16_t port) {
  asio::io_context context;
  auto bound = bind_to(context, host, port);
  if (auto* wrong = std::get_if<listening_trouble>(&bound)) return std::move(*wrong);
  return std::nullopt;
}

std::size_t connections_within(std::size_t limit, std::size_t units, std::size_t own) {
  units = std::max<std::size_t>(units, 1);
  const auto reserve = std::min(units * limits::other_descriptors + own, limit / 2);
  return std::min((limit - reserve) / units, limits::client_connections);
}

bool http_answers(const std::string& host, std::uint16_t port, const std::string& target) {
  asio::io_context context;
  tcp::socket socket(context);
  tcp::resolver resolver(context);
  boost::system::error_code ec;
  bool answered = false;
  auto found = resolver.resolve(host, std::to_string(port), ec);
  if (ec) return false;
  const std::string request =
      "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  std::string answer(5, '\0');
  asio::async_connect(socket, found, [&](boost::system::error_code e, const tcp::endpoint&) {
    if (e) return;
    asio::async_write(socket, asio::buffer(request), [&](boost::system::error_code w, std::size_t) {
      if (w) return;
      asio::async_read(socket, asio::buffer(answer), [&](boost::system::error_code r, std::size_t) {
        answered = !r && answer == "HTTP/";
      });
    });
  });
  context.run_for(limits::healthcheck_wait);
  return answered;
}

}  // namespace gate
