#include "simulations/against/sender.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <set>

#include "simulations/against/connection.hpp"
#include "simulations/against/stand_ins.hpp"

namespace gate::against {
namespace {

namespace asio = boost::asio;
using recording::speech;

constexpr std::chrono::milliseconds look_for_stop{100};
/// Requests that are due and not over: the next are looked at later.
constexpr std::size_t most_waiting = 4096;
/// A stream is open for so long at least, lest it ends before it begins.
constexpr std::chrono::milliseconds shortest_stream{1000};

std::uint64_t us_since(clock::time_point then) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - then).count()));
}

/// How it went, in the words of the plan; learns what the answer names.
std::string outcome_of(const exchange& x, const answer& a, stand_ins& names) {
  if (!a.trouble.empty()) return a.trouble;
  if (x.opens && !a.session.empty()) names.learn_session(x.session, a.session);
  if (!a.streams) {
    names.learn(x.names, tokens_of(a.body));
    return recording::outcome_of_answer(a.status, a.body, x.said.id);
  }
  if (x.said.how != speech::request) return "stream";
  for (const auto& e : a.events)
    if (const auto outcome = recording::outcome_of_message(e, x.said.id)) {
      names.learn(x.names, tokens_of(e));
      return *outcome;
    }
  return "no answer";
}

class sender {
 public:
  sender(const plan& p, const sending& how)
      : plan_(p), how_(how), over_(p.all.size()), changed_(io_), watch_(io_) {
    if (how.to.tls) {
      tls_.emplace(asio::ssl::context::tls_client);
      tls_->set_default_verify_paths();
    }
  }

  result<report> run() {
    boost::system::error_code bad;
    asio::ip::tcp::resolver resolver(io_);
    at_ = resolver.resolve(how_.to.host, std::to_string(how_.to.port), bad);
    if (bad) return problem{how_.to.origin() + " can not be reached: " + bad.message()};
    asio::co_spawn(io_, reach(), asio::detached);
    io_.run();
    if (!unreachable_.empty())
      return problem{how_.to.origin() + " can not be reached: " + unreachable_};
    return std::move(report_);
  }

 private:
  bool stopped() const { return how_.stop && how_.stop->load(); }

  /// One connection tells whether anybody is there.
  asio::awaitable<void> reach() {
    auto first = std::make_shared<connection>(io_, tls_ ? &*tls_ : nullptr, how_.to);
    unreachable_ = co_await first->open(at_);
    if (!unreachable_.empty()) co_return;
    idle_.push_back(std::move(first));
    begun_ = clock::now();
    asio::co_spawn(io_, watch_for_stop(), asio::detached);
    co_await schedule();
  }

  asio::awaitable<void> watch_for_stop() {
    while (!done_ && !stopped()) {
      watch_.expires_after(look_for_stop);
      co_await watch_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    if (!stopped()) co_return;
    for (const auto& c : busy_) c->close();
    wake();
  }

  clock::time_point due(std::uint64_t at) const {
    const auto first = plan_.all.front().at;
    return begun_ + std::chrono::microseconds((at - std::min(at, first)) / how_.speed);
  }

  void wake() { changed_.cancel(); }
  /// Until something is over.
  asio::awaitable<void> something() {
    changed_.expires_at(clock::time_point::max());
    co_await changed_.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  asio::awaitable<void> schedule() {
    for (std::size_t i = 0; i < plan_.all.size() && !stopped(); ++i) {
      const auto when = due(plan_.all[i].at);
      while (clock::now() < when && !stopped()) {
        asio::steady_timer timer(io_, std::min(when, clock::now() + look_for_stop));
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
      }
      // Each waits for earlier ones only, all of which are here.
      while (running_ >= most_waiting && !stopped()) co_await something();
      if (stopped()) break;
      ++running_;
      asio::co_spawn(io_, exchange_of(i), asio::detached);
    }
    while (running_ > 0) co_await something();
    done_ = true;
    watch_.cancel();
  }

  /// What it had to wait for is over?
  bool free(std::size_t i) {
    const auto& x = plan_.all[i];
    if (x.needs && !over_[*x.needs]) return false;
    const auto s = plan_.sessions.find(x.session);
    if (s == plan_.sessions.end()) return true;
    auto& through = through_[x.session];
    while (through < s->second.size() && over_[s->second[through]]) ++through;
    return through >= x.behind;
  }

  asio::awaitable<void> exchange_of(std::size_t i) {
    const auto& x = plan_.all[i];
    while (!stopped() && (!free(i) || busy_.size() >= most_connections)) co_await next_change();
    if (!stopped()) {
      report_.late(us_since(due(x.at)));
      if (names_.knows(x))
        co_await send_one(x);
      else
        report_.add_unsent(x);
    }
    over_[i] = true;
    --running_;
    wake();
    for (const auto& w : std::exchange(waiting_, {})) w->cancel();
  }

  asio::awaitable<void> next_change() {
    auto timer = std::make_shared<asio::steady_timer>(io_, look_for_stop);
    waiting_.insert(timer);
    co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
    waiting_.erase(timer);
  }

  request request_of(const exchange& x) const {
    request r;
    r.method_string(x.method);
    r.target(x.target);
    r.version(11);
    for (const auto& h : names_.headers_of(x)) r.insert(h.name, h.value);
    r.set(boost::beast::http::field::host, how_.to.authority());
    if (!how_.bearer.empty())
      r.set(boost::beast::http::field::authorization, "Bearer " + how_.bearer);
    r.body() = names_.body_of(x);
    if (!x.body.empty() || x.method == "POST") r.content_length(r.body().size());
    return r;
  }

  /// Until when its answer matters: streams that nobody answers on, and answers that nobody waited
  /// for, were let go of at a time.
  clock::time_point until(const exchange& x) const {
    if (x.end && (x.outcome == "stream" || x.outcome == left))
      return std::max(due(*x.end), clock::now() + (x.streamed ? shortest_stream : look_for_stop));
    return clock::now() + std::chrono::seconds(answer_seconds);
  }

  asio::awaitable<void> send_one(const exchange& x) {
    const auto began = clock::now();
    answer a;
    request what;
    try {
      what = request_of(x);
    } catch (const std::exception& e) {  // a header line of more than 64 KiB
      report_.add(x, std::string("can not be sent: ") + e.what(), 0);
      co_return;
    }
    // One that was idle may be closed by now: then a new one is.
    for (bool again = true; again;) {
      const bool used = !idle_.empty();
      auto c =
          used ? idle_.back() : std::make_shared<connection>(io_, tls_ ? &*tls_ : nullptr, how_.to);
      if (used) idle_.pop_back();
      busy_.insert(c);
      if (!used) a.trouble = co_await c->open(at_);
      if (used || a.trouble.empty()) a = co_await c->ask(what, until(x));
      busy_.erase(c);
      again = used && a.trouble == "the connection broke" && !stopped();
      if (c->usable() && !stopped()) idle_.push_back(c);
    }
    if (!stopped()) report_.add(x, outcome_of(x, a, names_), us_since(began));
  }

  const plan& plan_;
  const sending& how_;
  asio::io_context io_{1};
  std::optional<asio::ssl::context> tls_;
  connection::endpoints at_;
  std::string unreachable_;
  clock::time_point begun_;
  std::vector<bool> over_;
  std::map<std::string, std::size_t> through_;  ///< how many of a session are over, from the first
  std::vector<std::shared_ptr<connection>> idle_;
  std::set<std::shared_ptr<connection>> busy_;
  std::set<std::shared_ptr<asio::steady_timer>> waiting_;
  asio::steady_timer changed_, watch_;
  std::size_t running_ = 0;
  bool done_ = false;
  stand_ins names_;
  report report_;
};

}  // namespace

result<report> send(const plan& p, const sending& how) {
  if (p.all.empty()) return report();
  return sender(p, how).run();
}

}  // namespace gate::against
