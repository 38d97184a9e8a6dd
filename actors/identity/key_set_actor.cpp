#include "actors/identity/key_set_actor.hpp"

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::identity {

key_set_actor::key_set_actor(caf::actor_config& cfg, caf::execution_unit* unit, key_set_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {
  auto to = std::make_shared<destination>();
  to->url = parts_.source.url;
  to->max_response_bytes = limits::key_set_bytes;
  to->redirects = false;
  to_ = std::move(to);
}

key_set_actor::behavior_type key_set_actor::make_behavior() {
  begin();  // so that the first token need not wait
  return {
      [this](want_keys) {
        if (schedule_.wanted(clock().now())) return begin();
        if (!schedule_.fetching()) tell_all();  // that it was asked in vain
      },
      [this](listen_for_keys& m) {
        send(m.who, what_is_known());
        listeners_.push_back(std::move(m.who));
      },
      [this](const fetched& m) { on_fetched(m); },
      [](const streamed&) {},  // no key set is told in events; its end says so
      [this](const key_tick& m) { on_tick(m); },
  };
}

void key_set_actor::on_exit() {
  listeners_.clear();
  parts_.egress = nullptr;
}

void key_set_actor::begin() {
  static const auto headers =
      std::make_shared<const std::string>("Accept: application/jwk-set+json, application/json\r\n");
  schedule_.begins(clock().now());
  auto f = std::make_shared<fetch>();
  f->id = ++fetch_;
  f->to = to_;
  f->method = verb::get;
  f->headers = headers;
  f->repeatable = true;
  send(parts_.egress, start_fetch{std::move(f), caf::actor_cast<fetch_client>(this)});
  delayed_send(this, limits::key_set_fetch, key_tick{fetch_, 0});
}

void key_set_actor::on_fetched(const fetched& f) {
  if (f.id != fetch_ || !schedule_.fetching()) return;
  if (f.end != fetch_end::complete) return failed(f.why.empty() ? "it was cut off" : f.why);
  if (f.status != 200) return failed("HTTP " + std::to_string(f.status));
  if (!f.body) return failed("the answer is an event stream");
  if (!keys_ || *f.body != text_) {
    auto read = oauth::read_key_set(*f.body);
    if (!read) return failed(read.error().what);
    keys_ = std::make_shared<const oauth::key_set>(std::move(*read));
    text_ = *f.body;
    if (keys_->keys().empty())
      log::warn("An issuer publishes no key that can verify signatures: its tokens are refused.",
                {{"issuer", parts_.source.issuer}});
    else
      log::info("The signing keys of an issuer are known.",
                {{"issuer", parts_.source.issuer}, {"keys", std::to_string(keys_->keys().size())}});
  } else if (schedule_.failing()) {
    log::info("The signing keys of an issuer can be fetched again.",
              {{"issuer", parts_.source.issuer}});
  }
  expired_ = false;
  schedule_.succeeded(clock().now());
  parts_.fetches[fetch_outcome::ok].add();
  tell_all();
  arm();
}

void key_set_actor::failed(std::string_view why) {
  if (!schedule_.failing())
    log::warn(
        "The signing keys of an issuer can not be fetched; what was known holds for a while, and "
        "further failures are not logged until it recovers.",
        {{"issuer", parts_.source.issuer},
         {"url", parts_.source.url.place()},
         {"detail", std::string(why)}});
  schedule_.failed();
  parts_.fetches[fetch_outcome::error].add();
  tell_all();
  arm();
}

void key_set_actor::on_tick(const key_tick& m) {
  const auto t = clock().now();
  if (m.late) {
    if (m.late != fetch_ || !schedule_.fetching()) return;
    send(parts_.egress, abandon_fetch{fetch_, caf::actor_cast<fetch_client>(this)});
    return failed("no answer within " + std::to_string(limits::key_set_fetch.count()) + " s");
  }
  if (m.number != tick_) return;
  if (schedule_.expires(t)) {
    log::error("The signing keys of an issuer are too old to be trusted: its tokens are refused.",
               {{"issuer", parts_.source.issuer}});
    keys_ = nullptr;
    text_.clear();
    expired_ = true;
    tell_all();
  }
  if (schedule_.due(t)) return begin();
  if (!schedule_.fetching()) arm();
}

void key_set_actor::arm() {
  const auto left = schedule_.next() - clock().now();
  delayed_send(this, std::max<std::chrono::nanoseconds>(left, std::chrono::milliseconds{1}),
               key_tick{0, ++tick_});
}

keys_told key_set_actor::what_is_known() const {
  return {parts_.index, !schedule_.fetching(), keys_ || expired_, keys_, schedule_.again_at()};
}

void key_set_actor::tell_all() {
  for (auto& who : listeners_) send(who, what_is_known());
}

}  // namespace gate::identity
