#pragma once
/// LEDGER's thread: takes requests from a bounded queue, and answers each through its callback.
///
/// What waits together and writes is one transaction, since a commit costs a sync of the disk: each
/// request in a savepoint of its own, so that one that is refused takes nothing of the others
/// along. They are answered when the commit is durable. Those that only read come before it, and
/// see what is committed; so whoever has been told of a write finds it.
///
/// If the transaction as a whole fails (the disk is full), each of its requests is tried alone:
/// what is small may fit, and who can not be served is told why.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "transport/ledger/books.hpp"
#include "transport/ledger/database_file.hpp"

namespace gate::ledger {

class writer final : public house {
 public:
  writer(std::unique_ptr<database_file> file, id_source ids);
  /// Waits until everything that was accepted is done and answered.
  ~writer() override;

  bool ask(request what, callback then) override;

  std::uint64_t commits() const override;

 private:
  struct job {
    request what;
    std::size_t bytes = 0;
    callback then;
  };
  struct answered {
    const job* to;
    answer what;
  };

  void run();
  std::vector<job> take_group();
  void serve(const std::vector<job>& group);
  /// In one transaction. Nothing if it is durable, else why it came to nothing.
  std::optional<sqlite::failure> write(const std::vector<const job*>& all,
                                       std::vector<answered>& out);
  std::optional<sqlite::failure> write_all_or_none(const std::vector<const job*>& all,
                                                   std::vector<answered>& out);
  void write_each(const std::vector<const job*>& all);

  std::unique_ptr<database_file> file_;
  books books_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<job> queue_;
  std::size_t bytes_ = 0;  ///< of the queue
  std::uint64_t commits_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace gate::ledger
