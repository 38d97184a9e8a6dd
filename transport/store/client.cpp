#include "transport/store/client.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"
#include "protocol/resp/writer.hpp"

namespace gate::store {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

std::string command_of(const store_request& what, bool whole) {
  std::string out;
  if (!what.script) {
    resp::begin_command(out, what.words.size());
  } else {
    resp::begin_command(out, 3 + what.keys.size() + what.words.size());
    resp::add_word(out, whole ? "EVAL" : "EVALSHA");
    resp::add_word(out, whole ? what.script->text : what.script->digest);
    resp::add_word(out, std::to_string(what.keys.size()));
    for (const auto& key : what.keys) resp::add_word(out, key);
  }
  for (const auto& word : what.words) resp::add_word(out, word);
  return out;
}

std::size_t bytes_of(const store_request& what) {
  std::size_t out = 0;
  for (const auto& key : what.keys) out += key.size();
  for (const auto& word : what.words) out += word.size();
  return out;
}

}  // namespace

client::client(scheduler::io_unit& unit, resp::store_url to, std::shared_ptr<presence> all,
               std::shared_ptr<metrics> m, callbacks call, http::resolve_function resolve)
    : unit_(unit),
      to_(std::move(to)),
      all_(std::move(all)),
      call_(std::move(call)),
      lookups_(unit, std::move(resolve)),
      timer_(unit.context()),
      durations_(m->get_histogram(metric::store_duration)) {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    counts_[i] = labelled<store_outcome>(*m, metric::store_operations, store_ops[i]);
}

client::~client() {
  drop_lines();
}

void client::drop_lines() {
  for (auto* it : {&calls_, &news_})
    if (const auto which = std::exchange(*it, nullptr)) which->abandon();
  forget_hearing();
}

void client::forget_hearing() {
  heard_ = 0;
  for (auto& [channel, how] : channels_) how = listening::wanted;
}

// --- coming and going ----------------------------------------------------------------------------

void client::open(opened then) {
  opened_ = std::move(then);
  boot_until_ = monotonic::now() + limits::store_boot;
  look();
}

void client::look() {
  state_ = state::opening;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(boot_until_ - monotonic::now());
  wake(opened_ ? std::max(left, 0ms) : limits::store_probe_answer);
  brought_.clear();
  calls_ = std::make_shared<line>(around(), *this, resp::dialect::resp3);
  calls_->open();
}

/// At the end of it the look has taken too long, or the next one is due.
void client::wake(std::chrono::milliseconds after) {
  timer_.expires_after(after);
  timer_.async_wait([this, life = std::weak_ptr(life_)](error_code ec) {
    // The one that was due may have been set anew meanwhile.
    if (ec || life.expired() || timer_.expiry() > monotonic::now()) return;
    const scheduler::handler_scope scope(unit_);
    if (state_ == state::away) return look();
    if (state_ != state::opening) return;
    const auto waited = opened_ ? limits::store_boot / 1ms : limits::store_probe_answer / 1ms;
    give_up(why_late(std::to_string(waited) + " ms"));
  });
}

/// What a look waited for in vain, for the log and for whoever starts it.
std::string client::why_late(const std::string& waited) const {
  const auto& last = news_ ? news_ : calls_;
  if (last && last->looks_up())
    return "its host name was not looked up within " + waited +
           ": check the name servers of this machine";
  const bool tls = to_.how == resp::store_url::way::tls;
  return "no answer within " + waited + ": " +
         (tls ? "is it there, and does it speak TLS?" : "is it there?");
}

void client::on_ready(line&) {
  go_on();
}

/// From a connection that is ready to a store that is here: channels first.
void client::go_on() {
  const bool apart = calls_->speaks() == resp::dialect::resp2 && !channels_.empty();
  if (apart && !news_) {
    news_ = std::make_shared<line>(around(), *this, resp::dialect::resp2);
    return news_->open();
  }
  if (apart && !news_->ready()) return;
  for (auto& [channel, how] : channels_)
    if (how == listening::wanted) {
      how = listening::asked;
      subscribe(channel);
    }
  if (state_ == state::opening && heard_ == channels_.size()) arrive();
}

void client::arrive() {
  state_ = state::here;
  timer_.cancel();
  if (opened_) {
    std::exchange(opened_, nullptr)({});
  } else {
    all_->came(monotonic::now());
  }
  call_.turned(true);
}

void client::on_ended(line&, const line_end& how) {
  // At the start a store that reads its data is waited for, as long as the start may take.
  if (opened_ && how.loading && monotonic::now() + limits::store_loading < boot_until_) {
    drop_lines();
    state_ = state::away;
    return wake(limits::store_loading);
  }
  give_up(how.why);
}

void client::give_up(std::string why) {
  const auto before = std::exchange(state_, state::away);
  // Those that wait are told by their lines, which end now if they have not.
  auto calls = std::exchange(calls_, nullptr), news = std::exchange(news_, nullptr);
  forget_hearing();
  if (opened_) {
    timer_.cancel();
    if (calls) calls->abandon();
    if (news) news->abandon();
    return std::exchange(opened_, nullptr)(std::move(why));
  }
  if (before == state::here) {
    all_->went(why, monotonic::now());
    wake(0ms);  // most often the connection alone is gone, or the store starts anew
  } else {
    wake(limits::store_probe);
  }
  if (before == state::here) call_.turned(false);
  if (calls) calls->drop();
  if (news) news->drop();
}

// --- asking --------------------------------------------------------------------------------------

void client::ask(store_request what, answer then) {
  auto op =
      std::make_shared<operation>(operation{std::move(what), std::move(then), monotonic::now()});
  if (state_ != state::here) return finish(op, store_outcome::away, nullptr);
  if (calls_->waiting() >= limits::store_queue ||
      calls_->waiting_bytes() + bytes_of(op->what) > limits::store_queue_bytes)
    return finish(op, store_outcome::overloaded, nullptr);
  send(op);
}

/// A script goes as a whole the first time on each connection: a store that has forgotten it would
/// refuse its digest, and do what was asked behind it first.
void client::send(const operation_ptr& op) {
  if (op->what.script && brought_.insert(op->what.script->digest).second) op->whole = true;
  calls_->ask(
      command_of(op->what, op->whole), op->since + limits::store_operation,
      [this, op](store_outcome outcome, const resp::value* v) { on_answer(op, outcome, v); });
}

void client::on_answer(const operation_ptr& op, store_outcome outcome, const resp::value* v) {
  // It has forgotten its scripts, at SCRIPT FLUSH. Once, for it may forget again.
  if (outcome == store_outcome::error && v->word() == "NOSCRIPT" && op->what.script && !op->whole &&
      state_ == state::here) {
    brought_.clear();
    return send(op);
  }
  // It may not have kept it.
  if (outcome == store_outcome::error && op->whole) brought_.erase(op->what.script->digest);
  finish(op, outcome, v);
  // Another has become the primary: it is found by looking anew.
  if (outcome == store_outcome::read_only && calls_)
    calls_->end("it has become a replica, which takes no writes");
}

void client::finish(const operation_ptr& op, store_outcome outcome, const resp::value* v) {
  counts_[static_cast<std::size_t>(op->what.op)][outcome].add();
  if (v) durations_.observe(std::chrono::duration<double>(monotonic::now() - op->since).count());
  if (v && outcome != store_outcome::ok)
    all_->refused(op->what.op, outcome, words_of_refusal(*v), monotonic::now());
  store_told told{op->what.id, outcome, nullptr};
  if (v) told.reply = std::make_shared<const resp::reply>(*v);
  op->then(std::move(told));
}

/// Servers repeat what they were told: whatever could be the password is not told on.
std::string client::words_of_refusal(const resp::value& v) const {
  const auto text = v.text();
  const bool secret = !to_.password.empty() && text.find(to_.password) != text.npos;
  std::string out(secret ? std::string_view("(not shown)")
                         : text.substr(0, limits::store_refusal_bytes));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

void client::on_quiet(line& which) {
  ping(which);
}

/// Silence on a line that has nothing to say is no proof that there is somebody at its other end.
void client::ping(line& which) {
  store_request what;
  what.op = store_op::ping;
  what.words = {"PING"};
  auto op = std::make_shared<operation>(
      operation{std::move(what), [](const store_told&) {}, monotonic::now()});
  const bool hears_only = &which == news_.get();
  which.ask(command_of(op->what, false), op->since + limits::store_operation,
            [this, op, hears_only](store_outcome outcome, const resp::value* v) {
              finish(op, outcome, v);
              // One that was waited for in vain is followed by the next, until it is enough.
              const auto& again = hears_only ? news_ : calls_;
              if (outcome == store_outcome::timeout && state_ == state::here && again) ping(*again);
            });
}

// --- channels ------------------------------------------------------------------------------------

bool client::listen(const std::string& channel) {
  if (channels_.size() >= limits::store_channels && !channels_.contains(channel)) return false;
  if (channels_.emplace(channel, listening::wanted).second && state_ == state::here) go_on();
  return true;
}

void client::unlisten(const std::string& channel) {
  const auto it = channels_.find(channel);
  if (it == channels_.end()) return;
  if (it->second == listening::heard) --heard_;
  channels_.erase(it);
  const auto& on = news_ ? news_ : calls_;
  if (state_ != state::here || !on || !on->ready()) return;
  std::string out;
  resp::add_command(out, {"UNSUBSCRIBE", channel});
  on->ask(
      std::move(out), monotonic::now() + limits::store_operation,
      [](store_outcome, const resp::value*) {}, line::answered_by::confirmation);
}

void client::subscribe(const std::string& channel) {
  std::string out;
  resp::add_command(out, {"SUBSCRIBE", channel});
  const auto since = monotonic::now();
  const auto& on = news_ ? news_ : calls_;
  on->ask(
      std::move(out), since + limits::store_operation,
      [this, channel](store_outcome outcome, const resp::value* v) {
        counts_[static_cast<std::size_t>(store_op::subscribe)][outcome].add();
        if (v && outcome != store_outcome::ok)
          all_->refused(store_op::subscribe, outcome, words_of_refusal(*v), monotonic::now());
        if (v) subscribed(channel);
      },
      line::answered_by::confirmation);
}

/// Also of one that the store refuses: nothing is gained by waiting for it.
void client::subscribed(const std::string& channel) {
  const auto it = channels_.find(channel);
  if (it == channels_.end() || it->second == listening::heard) return;  // nobody waits for it
  it->second = listening::heard;
  ++heard_;
  if (state_ == state::here) return call_.listens(channel);
  if (state_ == state::opening && heard_ == channels_.size()) arrive();
}

void client::on_push(const resp::value& v) {
  if (v.size() != 3 || !v.first().is_text("message")) return;
  call_.heard({std::string(v[1].text()), std::string(v[2].text())});
}

}  // namespace gate::store
