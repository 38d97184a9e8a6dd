#include "transport/store/inspection.hpp"

#include <charconv>
#include <utility>

#include "protocol/resp/writer.hpp"

namespace gate::store {
namespace {

std::string command_of_one_word(std::string_view word) {
  std::string out;
  resp::add_command(out, {word});
  return out;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (ec != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// The end of the year 9999: what is later is no time.
constexpr std::int64_t last_second = 253'402'300'799;
constexpr std::int64_t micros = 1'000'000;

/// What TIME says: seconds and microseconds.
std::optional<std::chrono::sys_time<std::chrono::microseconds>> time_of_store(
    const resp::value& v) {
  if (v.kind() != resp::kind::list || v.size() != 2) return std::nullopt;
  const auto whole = number_in(v[0].text());
  const auto rest = number_in(v[1].text());
  if (!whole || *whole < 0 || *whole > last_second) return std::nullopt;
  if (!rest || *rest < 0 || *rest >= micros) return std::nullopt;
  return std::chrono::sys_time<std::chrono::microseconds>(
      std::chrono::microseconds(*whole * micros + *rest));
}

}  // namespace

inspection::inspection(scheduler::io_unit& unit, http::lookups& names, inspect_store what,
                       answer then)
    : unit_(unit),
      names_(names),
      what_(std::move(what)),
      then_(std::move(then)),
      timer_(unit.context()) {
  out_.id = what_.id;
}

inspection::~inspection() {
  if (line_) line_->abandon();
}

void inspection::start() {
  begun_ = monotonic::now();
  until_ = begun_ + what_.timeout;
  timer_.expires_at(until_);
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
    const auto self = weak.lock();
    if (ec || !self) return;
    const scheduler::handler_scope scope(self->unit_);
    self->end("no answer in time");
  });
  line_ = std::make_shared<line>(line::surroundings{unit_, names_, tls_, what_.where}, *this,
                                 resp::dialect::resp3);
  line_->open();
}

void inspection::on_ready(line& which) {
  out_.ready = true;
  out_.took = std::chrono::duration_cast<std::chrono::microseconds>(monotonic::now() - begun_);
  which.ask(command_of_one_word("INFO"), until_,
            [weak = weak_from_this()](store_outcome outcome, const resp::value* v) {
              const auto self = weak.lock();
              if (self && v && outcome == store_outcome::ok) self->out_.info = v->text();
            });
  which.ask(command_of_one_word("TIME"), until_,
            [weak = weak_from_this()](store_outcome outcome, const resp::value* v) {
              const auto self = weak.lock();
              if (!self) return;
              if (v && outcome == store_outcome::ok) self->out_.time = time_of_store(*v);
              self->end(v ? "" : "it let us in, and does not answer");
            });
}

void inspection::on_ended(line&, const line_end& how) {
  end(how.loading ? "it is still reading its data" : how.why);
}

void inspection::end(std::string why) {
  const auto then = std::exchange(then_, nullptr);
  if (!then) return;
  timer_.cancel();
  out_.why = std::move(why);
  then(std::move(out_));
}

void inspection::cancel() {
  then_ = nullptr;
  timer_.cancel();
  if (line_) std::exchange(line_, nullptr)->abandon();
}

}  // namespace gate::store
