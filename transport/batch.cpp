#include "transport/batch.hpp"

#include "protocol/http/media.hpp"
#include "protocol/sse/writer.hpp"

namespace gate {
namespace {

/// What the elements of one batch share.
class gathering {
 public:
  gathering(exchange_ptr whole, std::size_t open) : whole_(std::move(whole)), open_(open) {}

  exchange& whole() { return *whole_; }

  void stream() {
    if (streaming_) return;
    streaming_ = true;
    whole_->open_stream({});
    std::string text;
    for (auto& a : answers_) sse::append_event(text, a);
    answers_.clear();
    whole_->send(text);
  }
  void answer(std::string text) {
    if (!streaming_) return answers_.push_back(std::move(text));
    std::string event;
    sse::append_event(event, text);
    whole_->send(event);
  }
  bool send(std::string_view events) {
    stream();
    return whole_->send(events);
  }
  void closed() {
    if (--open_ > 0) return;
    if (streaming_) return whole_->end_stream();
    if (answers_.empty()) return whole_->respond({202, {}, {}, false}, {});
    std::string all = "[";
    for (auto& a : answers_) {
      if (all.size() > 1) all += ',';
      all += a;
    }
    all += ']';
    whole_->respond({200, http::json_type, {}, false}, {all});
  }

 private:
  exchange_ptr whole_;
  std::vector<std::string> answers_;
  std::size_t open_;
  bool streaming_ = false;
};

class element final : public exchange {
 public:
  element(std::shared_ptr<gathering> g, std::string_view body) : all_(std::move(g)) {
    const auto& from = all_->whole().request();
    request_.head = from.head;
    request_.body = body;
  }
  ~element() override { close(); }

  const http_request& request() const override { return request_; }
  bool read_body(bool) override { return false; }  // it is there
  bool move_to(std::uint8_t, std::shared_ptr<passage>) override { return false; }
  void respond(const response_head&, std::initializer_list<std::string_view> body) override {
    std::string text;
    for (auto piece : body) text += piece;
    if (!text.empty()) all_->answer(std::move(text));
    close();
  }
  void open_stream(std::string_view) override { all_->stream(); }
  bool send(std::string_view bytes) override { return all_->send(bytes); }
  std::size_t queued() const override { return all_->whole().queued(); }
  void end_stream() override { close(); }
  bool alive() const override { return !closed_ && all_->whole().alive(); }
  std::uint64_t number() const override { return all_->whole().number(); }
  std::string_view peer() const override { return all_->whole().peer(); }

 private:
  void close() {
    if (closed_) return;
    closed_ = true;
    all_->closed();
  }

  std::shared_ptr<gathering> all_;
  http_request request_;
  bool closed_ = false;
};

}  // namespace

std::vector<exchange_ptr> make_batch(const exchange_ptr& whole,
                                     const std::vector<std::string_view>& elements) {
  auto all = std::make_shared<gathering>(whole, elements.size());
  std::vector<exchange_ptr> out;
  out.reserve(elements.size());
  for (auto e : elements) out.push_back(std::make_shared<element>(all, e));
  return out;
}

}  // namespace gate
