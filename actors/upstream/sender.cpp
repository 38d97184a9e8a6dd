#include "actors/upstream/sender.hpp"

#include <functional>

#include "actors/upstream/call_parts.hpp"
#include "protocol/base/pen.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"
#include "protocol/recycled.hpp"

namespace gate::upstream {
namespace {

constexpr std::string_view closing = "}";

/// The end of a request that is not as the client wrote it, and what its other pieces are of.
struct ending {
  std::string text;
  std::shared_ptr<const void> rest;
};

}  // namespace

std::string sender::head(std::uint64_t id, std::string_view method) {
  std::string out;
  pen text(out, 72 + method.size());
  text << R"({"jsonrpc":"2.0","id":)" << id << R"(,"method":")" << method << R"(","params":)";
  out.resize(text.size());
  return out;
}

void sender::start(std::shared_ptr<fetch> f) {
  f->to = s_.of.to[s_.endpoint.current()];
  f->request = s_.carried;
  s_.doors.start(std::move(f));
}

std::uint64_t sender::post(std::string before, std::string_view first, std::string_view second,
                           std::string_view after, std::shared_ptr<const void> keep,
                           bool repeatable, const trace_ptr& trace) {
  auto f = std::allocate_shared<fetch>(recycling<fetch>());
  f->id = s_.table.new_id();
  f->headers = s_.talk.headers();
  f->own_headers = trace;
  f->before = std::move(before);
  f->first = first;
  f->second = second;
  f->after = after;
  f->keep = std::move(keep);
  f->repeatable = repeatable;
  const auto id = f->id;
  start(std::move(f));
  return id;
}

std::uint64_t sender::post_again(std::string text, const trace_ptr& trace) {
  return post(std::move(text), {}, {}, {}, {}, true, trace);
}

void sender::post_as(std::uint64_t id, std::shared_ptr<const std::string> own_headers,
                     mcp::request_pieces text, std::shared_ptr<const void> keep, bool repeatable) {
  auto f = std::allocate_shared<fetch>(recycling<fetch>());
  f->id = id;
  f->headers = s_.talk.headers();
  f->own_headers = std::move(own_headers);
  f->before = std::move(text.before);
  f->first = text.first;
  f->second = text.second;
  f->repeatable = repeatable;
  if (text.after == closing) {
    f->after = closing;
    f->keep = std::move(keep);
    return start(std::move(f));
  }
  // What stands behind the replaced part lives as long as the request does.
  auto own = std::make_shared<const ending>(ending{std::move(text.after), std::move(keep)});
  f->after = own->text;
  f->keep = std::move(own);
  start(std::move(f));
}

std::string sender::progress_token(work& w, std::uint64_t id) {
  const auto& c = w.call;
  // Clients and sessions have different names, and the server calls those of another gateway
  // something else, so sessions choose different tokens.
  if (!s_.progress)
    s_.progress = std::make_shared<progress_tokens>(c.client ^ s_.name() << 16U ^
                                                    std::hash<std::string>{}(s_.talk.id()) ^
                                                    (s_.client.shared() ? id : 0));
  w.progress = progress_ticket(s_.progress, id, c.token);
  return progress_tokens::raw(w.progress.number(), c.token);
}

std::uint64_t sender::post_call(work& w) {
  if (w.errand && !w.errand->method.empty())
    return post(head(s_.table.next_id(), w.errand->method) + w.errand->params + "}", {}, {}, {}, {},
                false, w.trace());
  call_parts c(w.call);
  // Nothing here has asked for it, and it would be an unknown member there.
  if (w.call.has_input) c.become(mcp::stateless::without_attempt(c.joined()));
  auto begin = head(s_.table.next_id(), w.call.method);
  // A server that has a session could take the envelope for a request of the other generation.
  const bool enveloped = w.call.declares && !c.meta.empty();
  if (c.token.empty() && !enveloped)
    return post(std::move(begin), c.first, c.second, c.first.empty() ? "{}}" : closing,
                std::move(c.keep), false, w.trace());
  const auto id = s_.table.new_id();
  const auto ours = c.token.empty() ? std::string{} : progress_token(w, id);
  if (!enveloped) {
    post_as(id, w.trace(),
            mcp::replace_part(std::move(begin), c.first, c.second, closing, c.token, ours),
            std::move(c.keep), false);
    return id;
  }
  const auto meta = w.call.only_envelope ? std::string("{}")
                                         : mcp::stateless::without_envelope(c.meta, c.token, ours);
  post_as(id, w.trace(),
          mcp::stateless::with_meta(std::move(begin), c.first, c.second, c.meta, meta),
          std::move(c.keep), false);
  return id;
}

void sender::get(std::uint64_t id, std::string_view last_event_id) {
  auto f = std::make_shared<fetch>();
  f->id = id;
  f->method = verb::get;
  f->headers = s_.talk.stream_headers(s_.credential.line(), last_event_id);
  f->repeatable = true;
  start(std::move(f));
}

void sender::end_session(purpose why) {
  auto f = std::make_shared<fetch>();
  const auto id = f->id = s_.table.new_id();
  f->method = verb::del;
  f->headers = s_.talk.headers();
  f->repeatable = true;
  start(std::move(f));
  auto& until = s_.table.add(id, why, s_.talk.epoch()).until;
  until = s_.now() + limits::end_wait + limits::goodbye;
  s_.wake.set(until);
}

void sender::notice(std::string text) {
  expect(post_again(std::move(text)), purpose::notice);
}

void sender::expect(std::uint64_t id, purpose k) {
  auto& p = s_.table.add(id, k, s_.talk.epoch());
  p.until = s_.now() + s_.of.config.request;
  s_.wake.set(p.until);
}

}  // namespace gate::upstream
