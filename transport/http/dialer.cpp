#include "transport/http/dialer.hpp"

#include <utility>

#include "protocol/limits.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::vector<tcp::endpoint> by_turns(const std::vector<tcp::endpoint>& found) {
  std::vector<tcp::endpoint> out;
  if (found.empty()) return out;
  const bool first = found.front().address().is_v6();
  std::vector<tcp::endpoint> same, other;
  for (const auto& e : found) (e.address().is_v6() == first ? same : other).push_back(e);
  for (std::size_t i = 0; i < found.size() && out.size() < limits::connect_addresses; ++i) {
    if (i < same.size()) out.push_back(same[i]);
    if (i < other.size() && out.size() < limits::connect_addresses) out.push_back(other[i]);
  }
  return out;
}

dialer::dialer(asio::io_context& context, std::vector<tcp::endpoint> to, answer then)
    : context_(context), to_(by_turns(to)), then_(std::move(then)) {}

void dialer::try_next() {
  if (next_ >= to_.size()) return;
  const auto at = to_[next_++];
  const auto it = attempts_.emplace(attempts_.end(), context_);
  it->async_connect(at, [self = shared_from_this(), it](error_code ec) { self->tried(it, ec); });
  if (next_ >= to_.size()) return;
  if (!patience_) patience_.emplace(context_);
  patience_->expires_after(limits::connect_stagger);
  patience_->async_wait([weak = weak_from_this()](error_code ec) {
    const auto self = weak.lock();
    if (!ec && self && self->then_) self->try_next();
  });
}

void dialer::tried(attempt it, error_code ec) {
  if (!then_) return;
  auto socket = std::move(*it);
  attempts_.erase(it);
  if (ec && next_ < to_.size()) return try_next();
  if (ec && !attempts_.empty()) return;  // others are still being waited for
  const auto then = std::exchange(then_, nullptr);
  cancel();
  then(ec, std::move(socket));
}

void dialer::cancel() {
  then_ = nullptr;
  patience_.reset();
  error_code ec;
  // Closed, not destroyed: what they report as aborted still names them.
  for (auto& s : attempts_) s.close(ec);
}

}  // namespace gate::http
