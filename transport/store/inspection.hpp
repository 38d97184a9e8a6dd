#pragma once
/// STORE INSPECTION: one line to a store: does it let us in, and what does it say of itself? It
/// asks for INFO and TIME, and writes nothing. Made by INSPECTOR for each question. Thread: the
/// unit's.
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "transport/inspection.hpp"
#include "transport/store/line.hpp"

namespace gate::store {

class inspection final : public line_user, public std::enable_shared_from_this<inspection> {
 public:
  using answer = std::function<void(store_inspected)>;

  inspection(scheduler::io_unit& unit, http::lookups& names, inspect_store what, answer then);
  ~inspection();
  void start();
  /// Nothing is answered any more.
  void cancel();

  // line_user
  void on_ready(line& which) override;
  void on_push(const resp::value&) override {}
  void on_quiet(line&) override {}
  void on_ended(line& which, const line_end& how) override;

 private:
  void end(std::string why);

  scheduler::io_unit& unit_;
  http::lookups& names_;
  std::optional<boost::asio::ssl::context> tls_;
  inspect_store what_;
  answer then_;  ///< null: it was answered, or cancelled
  store_inspected out_;
  boost::asio::steady_timer timer_;
  monotonic::time_point begun_, until_;
  std::shared_ptr<line> line_;
};

}  // namespace gate::store
