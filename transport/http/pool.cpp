#include "transport/http/pool.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Resolved addresses are used this long before the resolver is asked again.
constexpr std::chrono::seconds address_time{30};

fetched failure(const job& j, fetch_end end, std::string why, bool untouched) {
  fetched f;
  f.id = j.ask.what->id;
  f.end = end;
  f.untouched = untouched;
  f.why = std::move(why);
  return f;
}

}  // namespace

pool::~pool() {
  for (auto& c : busy_) c->close();
  for (auto& c : idle_) c->close();
}

void pool::start(job j) {
  const auto now = owner_.now_;
  while (!idle_.empty()) {
    auto c = std::move(idle_.back());
    idle_.pop_back();
    if (c->idle_until() <= now) {
      c->close();
      continue;
    }
    c->index_ = busy_.size();
    busy_.push_back(c);
    return c->run(std::move(j));
  }
  if (busy_.size() < limits::origin_connections) return open(std::move(j));
  if (waiting_.size() < limits::origin_queue) {
    waiting_.push_back(std::move(j));
    return;
  }
  owner_.call_.done(j.ask.asker,
                    failure(j, fetch_end::overloaded, "too many requests wait for " + origin_.origin(),
                            true));
}

void pool::open(job j) {
  auto c = std::make_shared<client_connection>(*this, make_wire());
  c->index_ = busy_.size();
  busy_.push_back(c);
  c->assign(std::move(j));
  c->arm_connect_deadline();
  resolve(std::move(c));
}

std::unique_ptr<wire> pool::make_wire() {
  if (!origin_.tls) return make_plain_wire(owner_.unit_);
  if (!owner_.tls_) {
    owner_.tls_.emplace(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(owner_.tls_->native_handle(), TLS1_2_VERSION);
    owner_.tls_->set_default_verify_paths();
  }
  return make_tls_wire(owner_.unit_.context(), *owner_.tls_, origin_.host);
}

void pool::resolve(client_connection_ptr c) {
  if (clock::now() < addresses_until_) return c->connect(addresses_);
  error_code ec;
  if (auto literal = asio::ip::make_address(origin_.host, ec); !ec) {
    addresses_ = {tcp::endpoint(literal, origin_.port)};
    addresses_until_ = clock::time_point::max();
    return c->connect(addresses_);
  }
  owner_.resolver_.async_resolve(
      origin_.host, std::to_string(origin_.port), tcp::resolver::numeric_service,
      [c, &unit = owner_.unit_](error_code e, const tcp::resolver::results_type& found) {
        if (c->closed_) return;
        if (e) {
          c->connect_failed("can not resolve the host name: " + e.message());
        } else {
          auto& self = c->owner_;
          self.addresses_.clear();
          for (const auto& entry : found) self.addresses_.push_back(entry.endpoint());
          self.addresses_until_ = clock::now() + address_time;
          c->connect(self.addresses_);
        }
        unit.drain();
      });
}

bool pool::abandon(const abandon_fetch& what) {
  for (auto& c : busy_) {
    if (!c->carries(what)) continue;
    auto keep = c;
    remove(keep);
    keep->close();
    next();
    return true;
  }
  const auto same = [&](const job& j) {
    return j.ask.what->id == what.id && j.ask.asker == what.asker;
  };
  return std::erase_if(waiting_, same) > 0;
}

void pool::sweep(clock::time_point now) {
  // The list is ordered by use, but servers differ in how long they keep connections: check all.
  std::erase_if(idle_, [&](const client_connection_ptr& c) {
    if (c->idle_until() > now) return false;
    c->close();
    return true;
  });
}

void pool::idle(const client_connection_ptr& c) {
  remove(c);
  if (!waiting_.empty()) {
    auto j = std::move(waiting_.front());
    waiting_.pop_front();
    c->index_ = busy_.size();
    busy_.push_back(c);
    return c->run(std::move(j));
  }
  if (idle_.size() >= limits::origin_idle) return c->close();
  idle_.push_back(c);
}

void pool::remove(const client_connection_ptr& c) {
  const auto i = c->index_;
  if (i < busy_.size() && busy_[i] == c) {
    auto keep = c;
    busy_[i] = std::move(busy_.back());
    busy_[i]->index_ = i;
    busy_.pop_back();
    return;
  }
  std::erase(idle_, client_connection_ptr(c));
}

void pool::next() {
  if (waiting_.empty() || busy_.size() >= limits::origin_connections) return;
  auto j = std::move(waiting_.front());
  waiting_.pop_front();
  start(std::move(j));
}

}  // namespace gate::http
