#include "transport/http/pool.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"
#include "transport/http/admitted.hpp"
#include "transport/http/client_connection.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

fetched failure(const job& j, fetch_end end, std::string why, bool untouched) {
  fetched f;
  f.id = j.ask.what->id;
  f.end = end;
  f.untouched = untouched;
  f.why = std::move(why);
  return f;
}

bool is_stream(const job& j) {
  return j.ask.what->method == verb::get;
}
bool is_end(const job& j) {
  return j.ask.what->method == verb::del;
}

}  // namespace

pool::~pool() {
  for (auto& c : busy_) c->close();
  for (auto& c : idle_) c->close();
  owner_.idle_ -= idle_.size();
}

void pool::start(job j) {
  // Streams stay for hours: they have a bound of their own, or calls would find no room.
  const bool may_begin = is_stream(j) ? streams_ < limits::origin_streams
                         : is_end(j)  ? ends_.empty() && admits_end()
                                      : admits(j);
  if (may_begin) return begin(std::move(j));
  if (is_end(j)) return queue(ends_, limits::origin_ends_queue, std::move(j));
  const std::size_t most = is_stream(j) ? 0 : limits::origin_queue;
  queue(waiting_, most, std::move(j));
}

void pool::queue(fair_line<job>& line, std::size_t most, job j) {
  const auto who = j.ask.asker.id();
  if (line.size() < most) {
    j.since = owner_.now_;
    auto& waits = j.who->waits;
    if (std::ranges::find(waits, this) == waits.end()) waits.push_back(this);
    return line.push(who, std::move(j));
  }
  owner_.call_.done(j.ask.asker, failure(j, fetch_end::overloaded,
                                         "too many requests wait for " + origin_.origin(), true));
}

void pool::no_longer_waits(const job& j) {
  if (!waits(j.ask.asker.id())) std::erase(j.who->waits, this);
}

void pool::begin(job j) {
  const auto now = owner_.now_;
  while (!idle_.empty()) {
    auto c = std::move(idle_.back());
    idle_.pop_back();
    --owner_.idle_;
    if (c->idle_until() <= now) {
      c->close();
      continue;
    }
    occupy(c, j);
    return c->run(std::move(j));
  }
  open(std::move(j));
}

void pool::occupy(const client_connection_ptr& c, const job& j) {
  c->place_ = {busy_.size(), j.who, j.who->busy.size(), is_stream(j), is_end(j)};
  busy_.push_back(c);
  streams_ += c->place_.listens;
  ending_ += c->place_.ends;
  j.who->busy.push_back(c.get());
  j.who->calls += !c->place_.listens;
}

bool pool::has_room() const {
  return calls() < limits::origin_connections;
}

bool pool::admits(const job& j) const {
  return within_share(j.who->calls, calls(), limits::origin_connections);
}

/// Ends are in no hurry, and each may cost a connection: calls that may begin go first. Calls that
/// may not, as their session has its share, hold up nobody's end.
bool pool::admits_end() const {
  return ending_ < limits::origin_ends && has_room();
}

std::optional<job> pool::take_next() {
  auto next = waiting_.pop([this](const job& j) { return admits(j); });
  if (!next && !ends_.empty() && admits_end()) next = ends_.pop();
  if (next) no_longer_waits(*next);
  return next;
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
  if (!owner_.tls_) owner_.tls_ = make_client_tls();
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
    return connect(*c, !fresh);
  }
  std::erase_if(nameless_, [](const client_connection_ptr& x) { return x->closed_; });
  nameless_.push_back(std::move(c));
  look_up();
}

void pool::connect(client_connection& c, bool old) {
  auto [to, refused] = admitted(addresses_, whom_);
  if (to.empty() && !refused.empty())
    return c.connect_failed(obstacle::forbidden, std::move(refused));
  c.connect(std::move(to), old);
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
    fresh_until_ = now + limits::address_time;
    usable_until_ = now + limits::address_most;
  } else {
    retry_at_ = now + limits::lookup_pause;
  }
  for (auto& c : std::exchange(nameless_, {})) {
    if (c->closed_) continue;
    if (ec)
      c->connect_failed(obstacle::unresolved, "can not resolve the host name: " + ec.message());
    else
      connect(*c, false);
  }
}

bool pool::abandon(const abandon_fetch& what) {
  const auto same = [&](const job& j) { return j.ask.what->id == what.id; };
  const auto who = what.asker.id();
  return waiting_.erase_if(who, same) + ends_.erase_if(who, same) > 0;
}

void pool::forget(caf::actor_id who) {
  waiting_.forget(who);
  ends_.forget(who);
}

void pool::sweep(clock::time_point now) {
  // The list is ordered by use, but servers differ in how long they keep connections: check all.
  owner_.idle_ -= std::erase_if(idle_, [&](const client_connection_ptr& c) {
    if (c->idle_until() > now) return false;
    c->close();
    return true;
  });
  while (auto late = ends_.pop([&](const job& j) { return now - j.since >= limits::end_wait; })) {
    no_longer_waits(*late);
    owner_.call_.done(late->ask.asker, failure(*late, fetch_end::overloaded,
                                               "too many sessions end at the same time", true));
  }
  while (!ends_.empty() && admits_end()) next();
}

void pool::idle(const client_connection_ptr& c) {
  remove(c);
  if (auto j = take_next()) {
    occupy(c, *j);
    return c->run(std::move(*j));
  }
  if (idle_.size() >= limits::origin_idle || owner_.idle_ >= idle_in_all_) return c->close();
  idle_.push_back(c);
  ++owner_.idle_;
}

void pool::remove(const client_connection_ptr& c) {
  const auto i = c->place_.index;
  if (i < busy_.size() && busy_[i] == c) {
    // `c` may be the one in `busy_`, which is about to go.
    const auto keep = c;  // NOLINT(performance-unnecessary-copy-initialization)
    const auto was = std::exchange(c->place_, {});
    was.who->calls -= !was.listens;
    was.who->busy[was.who_index] = was.who->busy.back();
    was.who->busy[was.who_index]->place_.who_index = was.who_index;
    was.who->busy.pop_back();
    streams_ -= was.listens;
    ending_ -= was.ends;
    busy_[i] = std::move(busy_.back());
    busy_[i]->place_.index = i;
    busy_.pop_back();
    return;
  }
  owner_.idle_ -= std::erase(idle_, client_connection_ptr(c));
}

void pool::next() {
  if (auto j = take_next()) begin(std::move(*j));
}

}  // namespace gate::http
