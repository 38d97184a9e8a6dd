#include "transport/ledger/writer.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

#include "protocol/limits/ledger.hpp"

namespace gate::ledger {

writer::writer(std::unique_ptr<database_file> file, id_source ids)
    : file_(std::move(file)), books_(file_->db(), std::move(ids)), thread_([this] { run(); }) {}

writer::~writer() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool writer::ask(request what, callback then) {
  const auto bytes = bytes_of(what);
  {
    std::lock_guard lock(mutex_);
    // One that is alone may be as large as it likes.
    const bool full = queue_.size() >= limits::ledger_queue ||
                      (!queue_.empty() && bytes_ + bytes > limits::ledger_queue_bytes);
    if (full || ending_) return false;
    queue_.push_back({std::move(what), bytes, std::move(then)});
    bytes_ += bytes;
  }
  wake_.notify_one();
  return true;
}

std::uint64_t writer::commits() const {
  std::lock_guard lock(mutex_);
  return commits_;
}

void writer::run() {
  // A file that is as large as this process may make one is an error of a write, not the end.
  sigset_t not_for_us;
  sigemptyset(&not_for_us);
  sigaddset(&not_for_us, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &not_for_us, nullptr);
  while (true) {
    const auto group = take_group();
    if (group.empty()) return;
    serve(group);
  }
}

std::vector<writer::job> writer::take_group() {
  std::vector<job> out;
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
  std::size_t bytes = 0;
  while (!queue_.empty() && out.size() < limits::ledger_group) {
    auto& next = queue_.front();
    if (!out.empty() && bytes + next.bytes > limits::ledger_group_bytes) break;
    bytes += next.bytes;
    bytes_ -= next.bytes;
    out.push_back(std::move(next));
    queue_.pop_front();
  }
  return out;
}

void writer::serve(const std::vector<job>& group) {
  std::vector<const job*> writing;
  for (const auto& one : group) {
    if (writes(one.what))
      writing.push_back(&one);
    else
      one.then(books_.read(one.what));
  }
  if (writing.empty()) return;
  std::vector<answered> answers;
  const auto why = write(writing, answers);
  if (!why) {
    for (auto& a : answers) a.to->then(std::move(a.what));
  } else if (writing.size() > 1) {
    write_each(writing);
  } else {
    writing.front()->then(refusal{refusal::reason::unavailable, why->what});
  }
}

void writer::write_each(const std::vector<const job*>& all) {
  for (const auto* one : all) {
    std::vector<answered> answers;
    if (const auto why = write({one}, answers))
      one->then(refusal{refusal::reason::unavailable, why->what});
    else
      one->then(std::move(answers.front().what));
  }
}

std::optional<sqlite::failure> writer::write(const std::vector<const job*>& all,
                                             std::vector<answered>& out) {
  auto why = write_all_or_none(all, out);
  // What undoing said; the next one begins anew.
  file_->db().take_failure();
  return why;
}

std::optional<sqlite::failure> writer::write_all_or_none(const std::vector<const job*>& all,
                                                         std::vector<answered>& out) {
  auto& db = file_->db();
  sqlite::transaction together(db);
  if (db.failed()) return db.take_failure();
  for (const auto* one : all) {
    out.push_back({one, books_.write(one->what)});
    // Some failures undo the whole transaction, and with it those before.
    if (!db.in_transaction()) {
      const auto* said = std::get_if<refusal>(&out.back().what);
      return sqlite::failure{SQLITE_ABORT, said != nullptr ? said->what : "it was undone"};
    }
  }
  if (!together.commit()) return db.take_failure();
  std::lock_guard lock(mutex_);
  ++commits_;
  return {};
}

}  // namespace gate::ledger
