#include "actors/router/fleet_line.hpp"

#include <algorithm>
#include <array>

#include "protocol/base/base64url.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

namespace {

template <std::size_t N>
std::array<std::uint8_t, N> random_bytes(const random_source& from) {
  std::array<std::uint8_t, N> out{};
  from(out);
  return out;
}

}  // namespace

fleet_line::fleet_line(partner_door& to, const fleet_settings& with, random_source random,
                       callbacks call)
    : to_(to),
      secret_(with.secret),
      random_(std::move(random)),
      call_(std::move(call)),
      id_(random_bytes<16>(random_)),
      name_(fleet::name_of_instance(id_)) {
  if (secret_) vault_.emplace(*secret_);
}

std::uint64_t fleet_line::random_number() {
  std::uint64_t n = 0;
  for (const auto byte : random_bytes<6>(random_)) n = n << 8U | byte;
  return n;
}

std::uint64_t fleet_line::ask(store_request what, then told) {
  const auto number = what.id = next_++;
  asked_.emplace(number, std::move(told));
  to_.ask(std::move(what));
  return number;
}

void fleet_line::on_told(const store_told& m) {
  const auto node = asked_.extract(m.id);
  if (node && node.mapped()) node.mapped()(m);
}

std::string fleet_line::seal(std::string_view text, std::string_view about) {
  return vault_->seal(text, about, random_bytes<12>(random_));
}

// --- the key -------------------------------------------------------------------------------------

void fleet_line::on_turned(bool here) {
  here_ = here;
  key_ = key::unsure;
  if (here) return agree();
  tell_waiting(false);
}

void fleet_line::agree() {
  if (secret_) {
    key_ = key::agreed;
    call_.ready();
    return tell_waiting(true);
  }
  key_ = key::asked;
  const auto bytes = random_bytes<32>(random_);
  const auto proposal =
      base64url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  ask(fleet::agree_on_key(0, proposal), [this](const store_told& m) { take_key(m); });
}

/// Without one, sessions are as local as without a store, until it is asked the next time.
void fleet_line::take_key(const store_told& m) {
  const auto text = m.outcome == store_outcome::ok && m.reply ? m.reply->root().text() : "";
  if (text.size() < limits::fleet_secret_bytes) {
    if (key_ == key::asked) key_ = is_late(m.outcome) ? key::unsure : key::refused;
    return tell_waiting(false);
  }
  vault_.emplace(text);
  if (!here_) return;
  key_ = key::agreed;
  call_.ready();
  tell_waiting(true);
}

void fleet_line::tick() {
  if (here_ && (key_ == key::unsure || key_ == key::refused)) agree();
}

bool fleet_line::await_key(std::function<void(bool)> then) {
  if (!room_to_wait()) return false;
  waiting_.push_back(std::move(then));
  return true;
}

bool fleet_line::room_to_wait() const {
  return waiting_.size() < limits::sessions_sought;
}

void fleet_line::give_up() {
  if (key_ == key::unheard) key_ = key::unsure;
  tell_waiting(false);
}

void fleet_line::tell_waiting(bool known) {
  for (const auto& then : std::exchange(waiting_, {})) then(known);
}

// --- words ---------------------------------------------------------------------------------------

void fleet_line::say(const std::string& to, fleet::session_word word,
                     std::function<void(hearing)> then) {
  if (!ready() || word.text.size() > limits::fleet_word_bytes) {
    if (then) then(hearing::unsaid);
    return;
  }
  word.number = ++said_;
  store_request what;
  what.op = store_op::publish;
  what.words = {"PUBLISH", fleet::instance_channel(to),
                name_ + ' ' + seal(fleet::encode(word), fleet::about_word(name_, to))};
  ask(std::move(what),
      [this, to, key = std::move(word.session), then = std::move(then)](const store_told& m) {
        const bool said = m.outcome == store_outcome::ok && m.reply;
        const auto how = !said                          ? hearing::unsaid
                         : m.reply->root().number() > 0 ? hearing::somebody
                                                        : hearing::nobodys;
        if (how == hearing::nobodys && !key.empty()) call_.missed(to, key);
        if (then) then(how);
      });
}

std::optional<std::pair<std::string, fleet::session_word>> fleet_line::hear(const store_heard& m) {
  const auto blank = m.text.find(' ');
  if (!vault_ || m.channel != channel() || blank == std::string::npos ||
      blank > limits::fleet_name_bytes)
    return {};
  const auto from = m.text.substr(0, blank);
  const auto text =
      vault_->open(std::string_view(m.text).substr(blank + 1), fleet::about_word(from, name_));
  auto word = text ? fleet::read_word(*text) : std::nullopt;
  if (!word) return {};
  if (heard_.size() >= limits::fleet_senders && !heard_.contains(from))
    heard_.erase(
        std::ranges::min_element(heard_, {}, [](const auto& one) { return one.second.when; }));
  auto& of = heard_[from];
  if (word->number <= of.last) return {};
  of = {word->number, ++words_};
  return std::pair(from, std::move(*word));
}

}  // namespace gate::routing
