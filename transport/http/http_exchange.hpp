#pragma once
/// The reply slip of one request. Holds its connection; the connection does not hold it.
#include <memory>
#include <utility>

#include "transport/http/connection.hpp"

namespace gate::http {

class http_exchange final : public exchange {
 public:
  http_exchange(std::shared_ptr<connection> from, std::uint64_t number, http_request request)
      : from_(std::move(from)), number_(number), request_(std::move(request)) {}
  ~http_exchange() override {
    if (alive()) from_->dropped();
  }

  const http_request& request() const override { return request_; }
  http_request& unread() { return request_; }
  bool read_body(bool known) override { return alive() && from_->read_body(known); }
  bool move_to(std::uint8_t unit, std::shared_ptr<passage> by) override {
    request_.on_its_way = std::move(by);
    if (alive() && from_->move_to(request_, unit)) return true;
    request_.on_its_way = nullptr;
    return false;
  }
  void respond(const response_head& head, std::initializer_list<std::string_view> body) override {
    if (alive()) from_->respond(head, body);
  }
  void open_stream(std::string_view headers) override {
    if (alive()) from_->open_stream(headers);
    // Such streams live for hours. (A call goes on: it is sent, and sent again, with what it says.)
    if (http_request none; request_.method() == verb::get) std::swap(request_, none);
  }
  bool send(std::string_view bytes) override { return alive() && from_->send(bytes); }
  std::size_t queued() const override { return alive() ? from_->queued() : 0; }
  void end_stream() override {
    if (alive()) from_->end_stream();
  }
  bool alive() const override { return from_->current(number_); }
  std::uint64_t number() const override { return number_; }
  std::string_view peer() const override { return from_->peer(); }

 private:
  std::shared_ptr<connection> from_;
  std::uint64_t number_;
  http_request request_;
};

}  // namespace gate::http
