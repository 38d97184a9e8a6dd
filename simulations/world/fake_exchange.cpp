#include "simulations/world/fake_exchange.hpp"

#include <algorithm>

#include "protocol/sse/parser.hpp"

namespace gate::sim {

std::string receipt::header(std::string_view name) const {
  std::string_view rest = headers;
  while (!rest.empty()) {
    const auto end = rest.find("\r\n");
    const auto line = rest.substr(0, end);
    const auto colon = line.find(':');
    if (colon != line.npos && http::same_name(line.substr(0, colon), name))
      return std::string(line.substr(line.find_first_not_of(' ', colon + 1)));
    if (end == rest.npos) break;
    rest.remove_prefix(end + 2);
  }
  return {};
}

std::string receipt::last() const {
  if (!streaming) return body;
  const auto all = events();
  return all.empty() ? std::string{} : all.back();
}

std::vector<std::string> receipt::events() const {
  std::vector<std::string> out;
  sse::parser parser(std::size_t{1} << 30);
  parser.feed(stream, [&](sse::event&& e) {
    if (!e.data.empty()) out.push_back(std::move(e.data));
  });
  return out;
}

fake_exchange::fake_exchange(receipt_ptr r, http_request request)
    : receipt_(std::move(r)), request_(std::move(request)) {
  if (!request_.body_follows) return;
  receipt_->body_to_come = std::exchange(request_.body, {});
  receipt_->unread = &request_;
}

bool fake_exchange::read_body(bool known) {
  auto& r = *receipt_;
  if (!r.alive || r.endings) return false;
  if (!request_.body_follows || r.body_asked) r.misuse.push_back("nothing to be read");
  r.body_asked = true;
  r.known = known;
  return true;
}

bool fake_exchange::move_to(std::uint8_t unit, std::shared_ptr<passage> by) {
  auto& r = *receipt_;
  if (!r.alive || !r.move) return false;
  if (r.streaming || r.endings || request_.body_follows || moved_)
    r.misuse.push_back("move_to in the wrong state");
  request_.on_its_way = std::move(by);
  if (!r.move(unit, std::move(request_))) return false;
  ++r.moves;
  return moved_ = true;
}

fake_exchange::~fake_exchange() {
  if (moved_) return;
  receipt_->unread = nullptr;
  if (receipt_->endings == 0) receipt_->dropped = true;
}

void fake_exchange::respond(const response_head& head,
                            std::initializer_list<std::string_view> body) {
  auto& r = *receipt_;
  if (moved_) r.misuse.push_back("respond after move_to");
  if (!r.alive || moved_) return;
  if (r.streaming) r.misuse.push_back("respond after open_stream");
  if (r.endings) r.misuse.push_back("respond after the end");
  if (r.streaming || r.endings) return;
  r.status = head.status;
  r.content_type = head.content_type;
  r.headers = head.headers;
  r.close = head.close;
  for (auto piece : body) r.body += piece;
  if (head.content_type.empty() && !r.body.empty()) r.misuse.push_back("a body without a type");
  ++r.endings;
}

void fake_exchange::open_stream(std::string_view headers) {
  auto& r = *receipt_;
  if (!r.alive) return;
  if (r.streaming || r.endings || request_.body_follows) {
    r.misuse.push_back("open_stream in the wrong state");
    return;
  }
  r.status = 200;
  r.content_type = "text/event-stream";
  r.headers = headers;
  r.streaming = true;
  if (request_.method() == verb::get) request_ = {};  // as INGRESS does
}

bool fake_exchange::send(std::string_view bytes) {
  auto& r = *receipt_;
  if (!r.alive) return false;
  if (!r.streaming || r.endings) {
    r.misuse.push_back("send without an open stream");
    return false;
  }
  if (r.stream.size() + bytes.size() > r.room) {
    r.alive = false;
    return false;
  }
  r.stream += bytes;
  if (!r.reads) r.most_queued = std::max(r.most_queued, r.queued += bytes.size());
  return true;
}

void fake_exchange::end_stream() {
  auto& r = *receipt_;
  if (!r.alive) return;
  if (!r.streaming || r.endings) {
    r.misuse.push_back("end_stream without an open stream");
    return;
  }
  r.stream_ended = true;
  ++r.endings;
}

http::head_ptr make_head(verb method, std::string_view target,
                         const std::vector<std::string>& lines, bool refused) {
  constexpr std::string_view names[] = {"GET", "POST", "DELETE", "OPTIONS", "PATCH"};
  const auto head = std::make_shared<http::received_head>();
  auto& block = head->block;
  std::size_t bytes = target.size() + 32;
  for (const auto& line : lines) bytes += line.size() + 2;
  block.reserve(bytes);
  head->method = method;
  block = names[static_cast<std::size_t>(method)];
  block += ' ';
  const auto target_at = block.size();
  block += target;
  block += " HTTP/1.1\r\n";
  struct place {
    std::size_t name, name_size, value, value_size;
  };
  std::vector<place> places;
  places.reserve(lines.size());
  head->headers.reserve(lines.size());
  for (const auto& line : lines) {
    const auto colon = line.find(':');
    const auto value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    const auto begin = block.size();
    places.push_back({begin, colon, begin + value, line.size() - value});
    block.append(line).append("\r\n");
  }
  block += "\r\n";
  const std::string_view text = block;
  head->target = text.substr(target_at, target.size());
  for (const auto& p : places)
    head->headers.push_back({text.substr(p.name, p.name_size), text.substr(p.value, p.value_size)});
  if (!refused) head->look_up(false);
  return head;
}

http_request make_request(verb method, std::string_view target,
                          const std::vector<std::string>& lines, std::string body, bool refused) {
  http_request r;
  r.head = make_head(method, target, lines, refused);
  r.body = std::move(body);
  return r;
}

}  // namespace gate::sim
