#pragma once
/// A folder with a ledger in it, in SQLite.
#include <memory>
#include <string>
#include <utility>

#include "tests/transport/support/ledger_requests.hpp"
#include "tests/transport/support/temporary_folder.hpp"
#include "transport/ledger/writer.hpp"

namespace gate::testing {

class ledger_file : public ledger_requests {
 protected:
  ledger_file() { open(); }

  void open() {
    auto file = ledger::database_file::open(path(), at(0));
    ASSERT_TRUE(file) << file.error().what;
    db_ = &(*file)->db();
    writer_ = std::make_unique<ledger::writer>(
        std::move(*file), [this] { return "dlv_" + std::to_string(++deliveries_made_); });
    house_ = writer_.get();
  }
  void close() { writer_.reset(); }
  void reopen() {
    close();
    open();
  }
  std::string path() const { return folder_.file("hooks.db"); }

  /// Only while nobody asks.
  sqlite::connection& db() { return *db_; }
  ledger::writer& writer() { return *writer_; }

  temporary_folder folder_;
  std::unique_ptr<ledger::writer> writer_;
  sqlite::connection* db_ = nullptr;
  int deliveries_made_ = 0;
};

}  // namespace gate::testing
