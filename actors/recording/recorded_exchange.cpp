#include "actors/recording/recorded_exchange.hpp"

namespace gate::recording {

recorded_exchange::~recorded_exchange() {
  if (!ended_ && to_->alive()) where_->happened(kind::dropped, to_->number());
}

bool recorded_exchange::move_to(std::uint8_t unit, std::shared_ptr<passage> by) {
  if (!to_->move_to(unit, std::move(by))) return false;
  ended_ = true;
  where_->moved(to_->number(), unit);
  return true;
}

void recorded_exchange::respond(const response_head& head,
                                std::initializer_list<std::string_view> body) {
  // Of those whose client is gone nobody hears.
  if (!ended_ && to_->alive()) where_->answer(to_->number(), form_, head, body);
  ended_ = true;
  to_->respond(head, body);
}

void recorded_exchange::open_stream(std::string_view headers) {
  if (!ended_ && to_->alive()) where_->stream(to_->number(), headers);
  to_->open_stream(headers);
}

bool recorded_exchange::send(std::string_view bytes) {
  if (!ended_ && to_->alive()) where_->sent(to_->number(), bytes);
  return to_->send(bytes);
}

void recorded_exchange::end_stream() {
  if (!ended_ && to_->alive()) where_->happened(kind::ended, to_->number());
  ended_ = true;
  to_->end_stream();
}

}  // namespace gate::recording
