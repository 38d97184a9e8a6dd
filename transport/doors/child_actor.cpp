#include "transport/doors/child_actor.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <caf/send.hpp>
#include <cerrno>
#include <cstring>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::doors {
namespace asio = boost::asio;
using boost::system::error_code;
using process::warden_order;
using process::warden_report;

namespace {

/// Bytes that are read in one go, into a buffer that all of a thread share.
constexpr std::size_t turn_bytes = 64 * 1024;

char* shared_buffer() {
  thread_local std::array<char, turn_bytes> buffer;
  return buffer.data();
}

bool must_wait(ssize_t n) {
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

void shut(asio::posix::stream_descriptor& d) {
  error_code ec;
  d.close(ec);
}

std::string reason(std::string what, int error) {
  return std::move(what) + ": " + std::strerror(error);
}

}  // namespace

child_actor::child_actor(caf::actor_config& cfg, scheduler::io_unit* unit, process::child_ends ends,
                         std::string why, start_child from)
    : pinned(cfg, unit),
      io_(*unit),
      control_(unit->context()),
      input_(unit->context()),
      output_(unit->context()),
      error_(unit->context()),
      pause_(unit->context()),
      last_words_(unit->context()),
      why_(std::move(why)),
      label_(std::move(from.label)),
      program_(std::move(ends.program)),
      user_(std::move(from.user)),
      lines_(limits::child_line_bytes),
      complaint_lines_(limits::child_complaint_bytes, stdio::beyond::cut) {
  if (why_.empty()) {
    control_.assign(ends.control.release());
    input_.assign(ends.input.release());
    output_.assign(ends.output.release());
    error_.assign(ends.error.release());
  }
  set_down_handler([this](const caf::down_msg&) {
    // Nobody is left who could end it in order: the end of the socket has its warden kill it.
    user_ = nullptr;
    drop_input();
    if (control_.is_open()) ::shutdown(control_.native_handle(), SHUT_WR);
    end_if_done();
  });
}

child_actor::behavior_type child_actor::make_behavior() {
  monitor(user_);
  if (why_.empty()) {
    wait(control_, pipe::wait_read, &child_actor::hear_warden);
    wait(error_, pipe::wait_read, &child_actor::read_complaints);
  } else {
    failed(std::move(why_));
  }
  return {
      [this](child_line& m) {
        if (!input_.is_open()) {
          if (user_) send(user_, child_took{m.text.size()});
          return;
        }
        waiting_.push_back(std::move(m.text));
        if (!writing_) write_input();
      },
      [this](child_read_on) {
        unasked_ = false;
        if (gone_) await_last_words();  // anew: what is in the pipe is read first
        if (output_.is_open() && !heard_out_)
          wait(output_, pipe::wait_read, &child_actor::read_output);
      },
      [this](close_child_input) { drop_input(); },
      [this](const signal_child& m) {
        order(m.what == signal_child::how::kill ? warden_order::kill : warden_order::terminate);
      },
  };
}

void child_actor::on_exit() {
  // Waits that are under way hold a reference to us; closing ends them. The warden sees its socket
  // end.
  for (auto* d : {&control_, &input_, &output_, &error_}) shut(*d);
  pause_.cancel();
  last_words_.cancel();
  user_ = nullptr;
}

void child_actor::failed(std::string why) {
  gone_ = true;
  if (user_) send(user_, child_failed{std::move(why)});
  finish();
}

/// Not `quit`: outside of a message's handler that takes effect with the next message only.
void child_actor::finish() {
  caf::anon_send_exit(this, caf::exit_reason::user_shutdown);
}

void child_actor::wait(pipe& on, pipe::wait_type what, void (child_actor::*then)()) {
  on.async_wait(what, [this, then, self = caf::strong_actor_ptr{ctrl()}, &on](error_code ec) {
    const scheduler::handler_scope scope(io_);
    if (!ec && on.is_open()) (this->*then)();
  });
}

// --- its warden ----------------------------------------------------------------------------------

void child_actor::hear_warden() {
  warden_report r;
  const auto n = process::receive_report(control_.native_handle(), r);
  if (must_wait(n)) return wait(control_, pipe::wait_read, &child_actor::hear_warden);
  if (n == static_cast<ssize_t>(sizeof r)) {
    take_report(r);
    if (control_.is_open()) wait(control_, pipe::wait_read, &child_actor::hear_warden);
    return;
  }
  if (gone_) return;
  // It ended without a word, and KEEPER has none either: that was killed as well, or lacked the
  // means to make it.
  if (!started_) return failed("the process that starts servers has ended, or lacks the means");
  log::error("The processes that watch over a child have ended before their time.",
             {{"session", label_}});
  gone_ = true;
  shut(control_);
  shut(output_);
  heard_out_ = true;
  end_if_done();
}

void child_actor::take_report(warden_report r) {
  using what = warden_report::event;
  switch (r.what) {
    case what::started:
      started_ = true;
      wait(output_, pipe::wait_read, &child_actor::read_output);
      if (input_.is_open()) wait(input_, pipe::wait_error, &child_actor::look_at_input);
      if (user_) send(user_, child_started{caf::actor_cast<child_handle>(this), r.value});
      return;
    case what::failed_directory:
      return failed(reason("can not enter the working directory (--dir)", r.value));
    case what::failed_executable:
      return failed(reason("can not execute the command \"" + program_ + '"', r.value));
    case what::failed_fork:
      return failed(reason("can not make a process", r.value));
    case what::exited:
    case what::killed:
      exited_ = true;
      if (user_ && started_) send(user_, child_exited{r.value, r.what == what::killed});
      return;
    case what::gone:
      if (!started_) return failed("it was ended before it ran");
      if (!exited_)
        log::error("The process that watches over a child has ended before its time.",
                   {{"session", label_}});
      gone_ = true;
      shut(control_);
      end_if_done();
      return await_last_words();
  }
}

/// It may have handed its output to a process that is none of its own. As long as nobody asks for
/// more, there may be more to hear.
void child_actor::await_last_words() {
  last_words_.expires_after(limits::child_last_words);
  last_words_.async_wait([this, self = caf::strong_actor_ptr{ctrl()}](error_code ec) {
    const scheduler::handler_scope scope(io_);
    if (!ec && output_.is_open()) {
      if (unasked_ && user_)
        await_last_words();
      else
        tell_lines(true);
    }
  });
}

void child_actor::order(warden_order what) {
  if (!control_.is_open()) return;
  const char byte = static_cast<char>(what);
  // Refused only if it is gone, or has so many orders unread that one more says nothing new.
  static_cast<void>(::send(control_.native_handle(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/// The last words of a child may still be in its pipe when it is gone: they are told before.
void child_actor::end_if_done() {
  if (!gone_ || (user_ && !heard_out_) || std::exchange(done_, true)) return;
  read_last_complaints();
  if (user_) send(user_, child_gone{});
  finish();
}

// --- what it says --------------------------------------------------------------------------------

void child_actor::read_output() {
  auto* buffer = shared_buffer();
  const auto n = ::read(output_.native_handle(), buffer, turn_bytes);
  if (must_wait(n)) return wait(output_, pipe::wait_read, &child_actor::read_output);
  const auto take = [this](std::string line) { told_.push_back(std::move(line)); };
  if (n > 0)
    lines_.feed({buffer, static_cast<std::size_t>(n)}, take);
  else
    lines_.finish(take);
  too_long_ += lines_.take_too_long();
  if (n > 0 && told_.empty() && too_long_ == 0)
    return wait(output_, pipe::wait_read, &child_actor::read_output);
  tell_lines(n <= 0);
}

void child_actor::tell_lines(bool last) {
  if (user_) send(user_, child_spoke{std::exchange(told_, {}), std::exchange(too_long_, 0), last});
  unasked_ = true;
  if (!last) return;
  heard_out_ = true;
  shut(output_);
  end_if_done();
}

// --- what it complains of ------------------------------------------------------------------------

void child_actor::read_complaints() {
  auto* buffer = shared_buffer();
  const auto n = ::read(error_.native_handle(), buffer, turn_bytes);
  if (must_wait(n)) return wait(error_, pipe::wait_read, &child_actor::read_complaints);
  if (n <= 0) return read_last_complaints();
  take_complaints({buffer, static_cast<std::size_t>(n)});
  if (flood_ < limits::child_complaint_flood)
    return wait(error_, pipe::wait_read, &child_actor::read_complaints);
  // It floods: it is read all the same, or it would stand still, but does not get all our time.
  flood_ = 0;
  pause_.expires_after(limits::child_complaint_pause);
  pause_.async_wait([this, self = caf::strong_actor_ptr{ctrl()}](error_code ec) {
    const scheduler::handler_scope scope(io_);
    if (!ec && error_.is_open()) wait(error_, pipe::wait_read, &child_actor::read_complaints);
  });
}

void child_actor::take_complaints(std::string_view bytes) {
  const auto take = [this](const std::string& line) { complain(line); };
  if (complaints_.exhausted(clock().now())) {
    // None of it would be logged: its lines are counted only, up to the one that has not ended.
    flood_ += bytes.size();
    if (const auto end = bytes.rfind('\n'); end != bytes.npos) {
      complaints_.drop(
          static_cast<std::size_t>(std::ranges::count(bytes.substr(0, end + 1), '\n')));
      complaint_lines_.finish([](const std::string&) {});
      bytes.remove_prefix(end + 1);
    }
  } else {
    flood_ = 0;
  }
  complaint_lines_.feed(bytes, take);
  static_cast<void>(complaint_lines_.take_too_long());  // the log shows that they were cut
}

/// What is still in the pipe when it ends, or when nobody is left who could write to it.
void child_actor::read_last_complaints() {
  if (!error_.is_open()) return;
  auto* buffer = shared_buffer();
  for (std::size_t heard = 0; heard < limits::child_complaint_flood;) {
    const auto n = ::read(error_.native_handle(), buffer, turn_bytes);
    if (n <= 0) break;
    take_complaints({buffer, static_cast<std::size_t>(n)});
    heard += static_cast<std::size_t>(n);
  }
  complaint_lines_.finish([this](const std::string& line) { complain(line); });
  tell_dropped_complaints();
  shut(error_);
}

void child_actor::complain(const std::string& line) {
  if (!complaints_.admit(clock().now())) return;
  tell_dropped_complaints();
  const bool cut = line.size() >= limits::child_complaint_bytes;
  log::info("The server wrote to its standard error.",
            {{"session", label_}, {"line", cut ? line + " …" : line}});
}

void child_actor::tell_dropped_complaints() {
  const auto n = complaints_.take_dropped();
  if (n == 0) return;
  log::warn("The server writes to its standard error faster than it is logged.",
            {{"session", label_}, {"lines left out", std::to_string(n)}});
}

// --- what it is told -----------------------------------------------------------------------------

void child_actor::write_input() {
  writing_ = false;
  std::size_t taken = 0;
  while (!waiting_.empty()) {
    const auto& text = waiting_.front();
    const auto n = ::write(input_.native_handle(), text.data() + written_, text.size() - written_);
    if (must_wait(n)) {
      writing_ = true;
      wait(input_, pipe::wait_write, &child_actor::write_input);
      break;
    }
    if (n < 0) {
      drop_input(true);
      break;
    }
    taken += static_cast<std::size_t>(n);
    written_ += static_cast<std::size_t>(n);
    if (written_ < text.size()) continue;
    waiting_.pop_front();
    written_ = 0;
  }
  if (taken > 0 && user_) send(user_, child_took{taken});
}

/// Who closes its standard input leaves what is in the pipe unread, and nobody would ever know.
void child_actor::look_at_input() {
  pollfd p{input_.native_handle(), 0, 0};
  if (::poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0) return drop_input(true);
  wait(input_, pipe::wait_error, &child_actor::look_at_input);
}

void child_actor::drop_input(bool deaf) {
  std::size_t dropped = 0;
  for (const auto& text : waiting_) dropped += text.size();
  dropped -= std::min(dropped, written_);
  waiting_.clear();
  written_ = 0;
  shut(input_);
  if ((dropped > 0 || deaf) && user_ && !gone_) send(user_, child_took{dropped, deaf});
}

}  // namespace gate::doors
