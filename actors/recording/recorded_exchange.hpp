#pragma once
/// A client's request whose answer is recorded: hands on all that it is asked, and writes it down.
/// Made by the RECORDER of an INGRESS; used on its unit.
#include <utility>

#include "actors/recording/journal.hpp"

namespace gate::recording {

class recorded_exchange final : public exchange {
 public:
  /// `form`: it is a request to a token endpoint.
  recorded_exchange(exchange_ptr to, journal_ptr where, bool form)
      : to_(std::move(to)), where_(std::move(where)), form_(form) {}
  ~recorded_exchange() override;

  const http_request& request() const override { return to_->request(); }
  bool read_body(bool known) override { return to_->read_body(known); }
  bool move_to(std::uint8_t unit, std::shared_ptr<passage> by) override;
  void respond(const response_head& head, std::initializer_list<std::string_view> body) override;
  void open_stream(std::string_view headers) override;
  bool send(std::string_view bytes) override;
  std::size_t queued() const override { return to_->queued(); }
  void end_stream() override;
  bool alive() const override { return to_->alive(); }
  std::uint64_t number() const override { return to_->number(); }
  std::string_view peer() const override { return to_->peer(); }

 private:
  exchange_ptr to_;
  journal_ptr where_;
  bool form_;
  bool ended_ = false;
};

}  // namespace gate::recording
