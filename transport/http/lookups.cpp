#include "transport/http/lookups.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <thread>

#include "protocol/limits.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// What a thread knows of us. It outlives us while a name server does not answer.
struct lookups::link {
  std::mutex mutex;
  lookups* to = nullptr;  ///< null: nobody listens any more
};

endpoints resolve_by_system(const std::string& host, std::uint16_t port, error_code& ec) {
  asio::io_context context;
  tcp::resolver resolver(context);
  endpoints out;
  for (const auto& entry :
       resolver.resolve(host, std::to_string(port), tcp::resolver::numeric_service, ec))
    out.push_back(entry.endpoint());
  return out;
}

lookups::lookups(scheduler::io_unit& unit, resolve_function resolve)
    : unit_(unit), resolve_(std::move(resolve)), link_(std::make_shared<link>()) {
  link_->to = this;
}

lookups::~lookups() {
  std::lock_guard lock(link_->mutex);
  link_->to = nullptr;
}

void lookups::start(std::string host, std::uint16_t port, answer then) {
  const auto id = next_++;
  asked_.emplace(id, std::move(then));
  question q{id, std::move(host), port};
  if (running_ < limits::lookup_threads)
    run(std::move(q));
  else
    waiting_.push_back(std::move(q));
}

void lookups::run(question q) {
  ++running_;
  // What is called in the end stays here: on the other thread it would be destroyed there.
  auto ask = [link = link_, resolve = resolve_, q] {
    error_code ec;
    auto found = resolve(q.host, q.port, ec);
    std::lock_guard lock(link->mutex);
    if (!link->to) return;
    asio::post(link->to->unit_.context(),
               [link, id = q.id, ec, found = std::move(found)]() mutable {
                 if (auto* to = link->to) to->finished(id, ec, std::move(found));
               });
  };
  try {
    std::thread(std::move(ask)).detach();
  } catch (const std::system_error& e) {
    asio::post(unit_.context(), [link = link_, id = q.id, ec = error_code(e.code())] {
      if (auto* to = link->to) to->finished(id, ec, {});
    });
  }
}

void lookups::finished(std::uint64_t id, error_code ec, endpoints found) {
  const scheduler::handler_scope scope(unit_);
  --running_;
  if (!waiting_.empty()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    run(std::move(next));
  }
  auto node = asked_.extract(id);
  node.mapped()(ec, std::move(found));  // may end us
}

}  // namespace gate::http
