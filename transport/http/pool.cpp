#include "transport/http/pool.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Resolved addresses are used this long before the resolver is asked again.
constexpr std::chrono::seconds address_time{30};
/// Older ones are used while it is asked, up to this age: a name server that is away for a while
/// must not take the upstreams along.
constexpr std::chrono::hours old_address_time{1};
/// After a lookup failed, old addresses are used this long without another.
constexpr std::chrono::seconds retry_pause{1};

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
    occupy(c, j);
    return c->run(std::move(j));
  }
  // Streams stay for hours: they have a bound of their own, or calls would find no room.
  const bool listens = j.ask.what->method == verb::get;
  if (listens ? streams_ < limits::origin_streams : has_room()) return open(std::move(j));
  if (!listens && waiting_.size() < limits::origin_queue) {
    waiting_.push_back(std::move(j));
    return;
  }
  owner_.call_.done(j.ask.asker, failure(j, fetch_end::overloaded,
                                         "too many requests wait for " + origin_.origin(), true));
}

void pool::occupy(const client_connection_ptr& c, const job& j) {
  c->index_ = busy_.size();
  busy_.push_back(c);
  c->listens_ = j.ask.what->method == verb::get;
  streams_ += c->listens_;
}

bool pool::has_room() const {
  return busy_.size() - streams_ < limits::origin_connections;
}

void pool::open(job j) {
  auto c = std::make_shared<client_connection>(*this, make_wire());
  occupy(c, j);
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

void pool::resolve(client_connection_ptr c, bool old_ones_do) {
  const auto now = clock::now();
  if (addresses_.empty()) {
    error_code ec;
    if (auto literal = asio::ip::make_address(origin_.host, ec); !ec) {
      addresses_ = {tcp::endpoint(literal, origin_.port)};
      fresh_until_ = clock::time_point::max();
    }
  }
  const bool fresh = now < fresh_until_;
  if (!addresses_.empty() && (fresh || (old_ones_do && now < usable_until_))) {
    if (!fresh && now >= retry_at_) look_up();
    return c->connect(addresses_, !fresh);
  }
  std::erase_if(nameless_, [](const client_connection_ptr& x) { return x->closed_; });
  nameless_.push_back(std::move(c));
  look_up();
}

/// One at a time: whoever comes meanwhile waits for the same answer.
void pool::look_up() {
  if (std::exchange(looking_up_, true)) return;
  owner_.lookups_.start(origin_.host, origin_.port, [this](error_code ec, endpoints found) {
    looked_up(ec, std::move(found));
  });
}

void pool::looked_up(error_code ec, endpoints found) {
  looking_up_ = false;
  const auto now = clock::now();
  if (!ec && !found.empty()) {
    addresses_ = std::move(found);
    fresh_until_ = now + address_time;
    usable_until_ = now + old_address_time;
  } else {
    retry_at_ = now + retry_pause;
  }
  for (auto& c : std::exchange(nameless_, {})) {
    if (c->closed_) continue;
    if (ec)
      c->connect_failed("can not resolve the host name: " + ec.message());
    else
      c->connect(addresses_, false);
  }
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

void pool::forget(caf::actor_id asker) {
  std::erase_if(waiting_, [&](const job& j) { return j.ask.asker.id() == asker; });
  std::vector<client_connection_ptr> orphans;
  for (auto& c : busy_)
    if (c->works_for(asker)) orphans.push_back(c);
  for (auto& c : orphans) {
    remove(c);
    c->close();
    next();
  }
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
    occupy(c, j);
    return c->run(std::move(j));
  }
  if (idle_.size() >= limits::origin_idle) return c->close();
  idle_.push_back(c);
}

void pool::remove(const client_connection_ptr& c) {
  const auto i = c->index_;
  if (i < busy_.size() && busy_[i] == c) {
    auto keep = c;
    streams_ -= std::exchange(c->listens_, false);
    busy_[i] = std::move(busy_.back());
    busy_[i]->index_ = i;
    busy_.pop_back();
    return;
  }
  std::erase(idle_, client_connection_ptr(c));
}

void pool::next() {
  if (waiting_.empty() || !has_room()) return;
  auto j = std::move(waiting_.front());
  waiting_.pop_front();
  start(std::move(j));
}

}  // namespace gate::http
