#include "transport/postgres/database.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "protocol/limits/ledger.hpp"
#include "transport/postgres/schema.hpp"

namespace gate::postgres {

result<std::unique_ptr<database>> database::open(std::string_view url, options o) {
  auto to = address::parse(url);
  if (!to) return to.error();
  const auto now = o.now();
  std::unique_ptr<database> out(new database(std::move(*to), std::move(o)));
  auto& first = *out->workers_.front();
  if (first.db.connect()) {
    if (auto why = migrate(first.db, schema_steps(), now.time_since_epoch().count()))
      return problem{std::move(why->what)};
  }
  if (auto why = first.db.take_failure()) return problem{std::move(why->what)};
  first.book.begin_anew(out->counters_++ % static_cast<std::int64_t>(limits::ledger_counts));
  first.connected = true;
  out->connected_ = 1;
  for (auto& w : out->workers_) w->thread = std::thread([d = out.get(), &w = *w] { d->run(w); });
  return out;
}

database::database(address to, options o)
    : to_(std::move(to)),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      common_(
          [this, ids = std::move(o.ids)] {
            std::lock_guard lock(ids_mutex_);
            return ids();
          },
          std::move(o.now)),
      // Of several instances each begins elsewhere.
      counters_(::getpid()) {
  for (std::size_t n = 0; n < std::max<std::size_t>(o.connections, 1); ++n)
    workers_.push_back(std::make_unique<worker>(to_, stop_, common_));
}

database::~database() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    end_ = steady::now() + limits::ledger_end;
  }
  ::eventfd_write(stop_, 1);
  work_.notify_all();
  back_.notify_all();
  for (auto& w : workers_)
    if (w->thread.joinable()) w->thread.join();
  while (!reads_.empty() || !writes_.empty())
    refuse(take_group(), to_.name() + " was not reached before the end");
  workers_.clear();
  ::close(stop_);
}

bool database::ask(request what, callback then) {
  const auto bytes = bytes_of(what);
  {
    std::lock_guard lock(mutex_);
    // One that is alone may be as large as it likes.
    const auto waiting = reads_.size() + writes_.size();
    const bool full = waiting >= limits::ledger_queue ||
                      (waiting > 0 && bytes_ + bytes > limits::ledger_queue_bytes);
    if (full || ending_) return false;
    auto& line = writes(what) ? writes_ : reads_;
    line.push_back({std::move(what), bytes, ++asked_, std::move(then)});
    bytes_ += bytes;
    (connected_ > 0 ? work_ : back_).notify_one();
  }
  return true;
}

std::optional<failure> database::connect(worker& w) {
  std::optional<failure> why;
  if (w.db.connect()) why = unusable(w.db, schema_steps().size());
  if (!why) why = w.db.take_failure();
  if (why) {
    disconnect(w, *why);
    return why;
  }
  w.book.begin_anew(counters_++ % static_cast<std::int64_t>(limits::ledger_counts));
  std::lock_guard lock(mutex_);
  w.pause = limits::ledger_pause;
  if (!std::exchange(w.connected, true)) ++connected_;
  return {};
}

void database::disconnect(worker& w, const failure& why) {
  w.db.close();
  std::lock_guard lock(mutex_);
  if (std::exchange(w.connected, false)) --connected_;
  away_ = why.what;
  w.try_at = steady::now() + w.pause;
  w.pause = std::min(w.pause * 2, limits::ledger_pause_most);
  // If it was the last one, somebody has to refuse what waits.
  back_.notify_all();
}

void database::run(worker& w) {
  sigset_t not_for_us;
  sigfillset(&not_for_us);
  pthread_sigmask(SIG_BLOCK, &not_for_us, nullptr);
  while (true) {
    auto all = next(w);
    if (!all.empty()) {
      serve(w, std::move(all));
      continue;
    }
    {
      std::lock_guard lock(mutex_);
      if (ending_) return;
    }
    connect(w);
  }
}

database::jobs database::next(worker& w) {
  std::unique_lock lock(mutex_);
  while (true) {
    const bool waits = !reads_.empty() || !writes_.empty();
    if (is_over() || (ending_ && (!waits || !w.connected))) return {};
    if (w.connected && waits) return take_group();
    if (w.connected) {
      work_.wait(lock);
      continue;
    }
    if (steady::now() >= w.try_at) return {};
    if (waits && connected_ == 0) {
      auto all = take_group();
      const auto why = away_;
      lock.unlock();
      refuse(std::move(all), why);
      lock.lock();
      continue;
    }
    back_.wait_until(lock, w.try_at);
  }
}

/// The one that has waited longest, and what may be done with it.
database::jobs database::take_group() {
  jobs out;
  const auto take = [&](std::deque<job>& from) {
    bytes_ -= from.front().bytes;
    out.push_back(std::move(from.front()));
    from.pop_front();
  };
  const bool reads =
      !reads_.empty() && (writes_.empty() || reads_.front().number < writes_.front().number);
  if (reads) {
    take(reads_);
    return out;
  }
  std::size_t bytes = 0;
  while (!writes_.empty() && out.size() < limits::ledger_group) {
    bytes += writes_.front().bytes;
    if (!out.empty() && bytes > limits::ledger_group_bytes) break;
    take(writes_);
  }
  return out;
}

void database::refuse(jobs all, const std::string& why) {
  for (auto& one : all) one.then(refusal{refusal::reason::unavailable, why});
}

void database::serve(worker& w, jobs all) {
  std::vector<job*> group;
  for (auto& one : all) group.push_back(&one);
  auto why = serve_together(w, group);
  if (!why) return;
  const bool each = group.size() > 1 && why->what_kind != failure::kind::lost;
  for (auto* one : group) {
    // If it is lost on the way, the others do not wait for as many attempts to connect.
    if (each && w.connected) why = serve_together(w, {one});
    if (why) one->then(why->as_refusal());
  }
}

std::optional<failure> database::serve_together(worker& w, std::vector<job*> all) {
  std::optional<failure> why;
  for (std::size_t n = 1; n <= limits::ledger_tries; ++n) {
    std::vector<asked> said;
    said.reserve(all.size());
    for (const auto* one : all) said.push_back({&one->what, {}});
    const bool writing = writes(all.front()->what);
    why = writing ? w.book.write(said) : w.book.read(said.front());
    if (!why) {
      if (writing) ++commits_;
      answer_all(all, said);
      return {};
    }
    if (why->what_kind == failure::kind::lost) {
      disconnect(w, *why);
      if (writing && w.book.committing()) {
        why->what += "; whether it has happened is unknown";
        return why;
      }
      if (n > 1) return why;
      if (auto still = connect(w)) return still;
    } else if (why->what_kind != failure::kind::again) {
      return why;
    }
  }
  return why;
}

void database::answer_all(std::vector<job*>& all, std::vector<asked>& said) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->then(std::move(said[i].said));
}

}  // namespace gate::postgres
