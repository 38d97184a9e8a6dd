#include "actors/router/lent_streams.hpp"

#include <vector>

#include "actors/router/client_streams.hpp"
#include "actors/who/named_in_log.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::routing {

using piece = fleet::stream_piece::what;

/// The reply slip of a client that is at another instance. Only streams are lent.
class lent_exchange final : public exchange {
 public:
  lent_exchange(lent_streams& home, lent_streams::place to, std::uint64_t number,
                const trace::trace_id& of)
      : home_(home),
        there_(home.here_),
        to_(std::move(to)),
        number_(number),
        trace_(of),
        beat_(home.unit_.now()),
        heard_(beat_) {}
  ~lent_exchange() override { end_stream(); }

  const http_request& request() const override { return request_; }
  bool read_body(bool) override { return false; }
  bool move_to(std::uint8_t, std::shared_ptr<passage>) override { return false; }
  void respond(const response_head&, std::initializer_list<std::string_view>) override {
    end_stream();
  }
  void open_stream(std::string_view) override {
    open_ = true;
    say(piece::begins);
  }
  bool send(std::string_view bytes) override {
    if (!alive()) return false;
    // What is kept is less, and its client may come back for it; a larger answer it can not have
    // there.
    const auto most = limits::fleet_word_bytes - limits::fleet_name_bytes;
    if (bytes.size() > most || queued() + bytes.size() > limits::client_queue_bytes) {
      log::warn(
          "The stream of a call is ended whose client is at another instance: it is too slow, or "
          "an answer is larger than what instances hand to each other.",
          {{"bytes", std::to_string(bytes.size())},
           {"queued", std::to_string(queued())},
           named_in_log(trace_)});
      end_stream();
      return false;
    }
    sent_ += bytes.size();
    say(piece::events, std::string(bytes));
    return alive();
  }
  std::size_t queued() const override { return sent_ - taken_; }
  void end_stream() override {
    if (alive()) say(piece::ends);
    lose();
  }
  bool alive() const override { return alive_ && !there_.expired(); }
  std::uint64_t number() const override { return number_; }
  std::string_view peer() const override { return {}; }

  bool open() const { return open_; }
  void say_runs(std::string_view raw_id) { say(piece::runs, std::string(raw_id)); }
  void hear(const fleet::stream_mark& m, time_point now) {
    heard_ = now;
    if (m.gone) return lose();
    if (m.taken <= sent_ && m.taken > taken_) taken_ = m.taken;
  }
  void lose() { alive_ = false; }
  void tick(time_point t) {
    if (t - heard_ >= limits::lent_stream_silence) return end_stream();
    if (t - beat_ < limits::lent_stream_beat) return;
    beat_ = t;
    say(piece::here);
  }

 private:
  void say(piece is, std::string text = {}) {
    if (alive()) home_.say(to_, {to_.second, ++pieces_, is, std::move(text)});
  }

  lent_streams& home_;  ///< only while it is there
  std::weak_ptr<const bool> there_;
  lent_streams::place to_;
  std::uint64_t number_;
  trace::trace_id trace_;  ///< of the call
  http_request request_{};
  std::uint64_t pieces_ = 0;
  std::size_t sent_ = 0, taken_ = 0;
  time_point beat_, heard_;
  bool open_ = false;
  bool alive_ = true;
};

void lent_streams::say(const place& to, fleet::stream_piece p) {
  line_.say(to.first, {.what = fleet::session_word::kind::streamed, .text = fleet::encode(p)},
            [this, to](hearing how) {
              // What the store has not acknowledged may be heard all the same. If it is not, the
              // next piece tells, by its number.
              if (how != hearing::nobodys) return;
              const auto at = all_.find(to);
              if (const auto one = at == all_.end() ? nullptr : at->second.lock()) one->lose();
            });
}

void lent_streams::lend(const sessions::session_ptr& s, const std::string& from,
                        const fleet::session_word& w) {
  const auto wish = fleet::read_resumption(w.text);
  if (!wish) return;
  const place to{from, wish->waits};
  const auto place = sse::replay::read(wish->event_id);
  // The session's own stream is where its client listens.
  if (!s || !place || place->stream == sse::replay::own_stream || all_.contains(to))
    return say(to, {wish->waits, 0, piece::none, {}});
  unit_.sessions.touch(*s, unit_.now());
  const auto shown = std::exchange(s->shown, unit_.now());  // a token, there
  const auto it = std::make_shared<lent_exchange>(*this, to, next_++, trace_of(*s, place->stream));
  all_[to] = it;
  using resumed = pipeline::stream_desk::resumed;
  const auto how = streams_.resume(s, wish->event_id, it);
  if (how == resumed::yes) return say_runs(s, it);
  s->shown = shown;
  it->lose();
  all_.erase(to);
  say(to, {wish->waits, 0, how == resumed::over ? piece::over : piece::none, {}});
}

/// Of the call that has this stream; zeros: it has ended.
trace::trace_id lent_streams::trace_of(const sessions::client_session& s,
                                       std::uint64_t stream) const {
  for (const auto& [id, number] : s.calls)
    if (const auto* c = unit_.calls.find(number); c && c->stream.number() == stream)
      return c->ticket.notes().trace;
  return {};
}

/// If this instance dies, its client can be told which of its calls has ended so.
void lent_streams::say_runs(const sessions::session_ptr& s,
                            const std::shared_ptr<lent_exchange>& to) {
  for (const auto& [id, number] : s->calls)
    if (const auto* c = unit_.calls.find(number); c && c->from == to)
      return to->say_runs(c->message.id);
}

void lent_streams::hear(const std::string& from, const fleet::session_word& w) {
  const auto mark = fleet::read_stream_mark(w.text);
  if (!mark) return;
  const place to{from, mark->waits};
  const auto at = all_.find(to);
  const auto one = at == all_.end() ? nullptr : at->second.lock();
  if (one && one->alive()) return one->hear(*mark, unit_.now());
  // Whoever follows what is over has not heard of its end.
  if (!mark->gone) say(to, {mark->waits, 0, piece::ends, {}});
}

void lent_streams::tick(time_point t) {
  if (all_.empty()) return;
  std::vector<std::shared_ptr<lent_exchange>> there;  // none is dropped meanwhile
  std::erase_if(all_, [&](const auto& one) {
    auto it = one.second.lock();
    const bool gone = !it || !it->alive();
    if (!gone) there.push_back(std::move(it));
    return gone;
  });
  for (const auto& it : there) it->tick(t);
}

}  // namespace gate::routing
