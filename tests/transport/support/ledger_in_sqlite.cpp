// A ledger's place in a SQLite file: what the tests of transport are linked with.
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/transport/support/ledger_storage.hpp"
#include "tests/transport/support/temporary_folder.hpp"
#include "transport/ledger/writer.hpp"

namespace gate::testing {
namespace {

class storage_in_sqlite final : public ledger_storage {
 public:
  std::unique_ptr<ledger::house> open(ledger::id_source ids) override {
    auto file = ledger::database_file::open(folder_.file("hooks.db"), at(0));
    if (!file) throw std::runtime_error(file.error().what);
    db_ = &(*file)->db();
    return std::make_unique<ledger::writer>(std::move(*file), std::move(ids));
  }
  std::int64_t rows(const std::string& table) override {
    counting_ = "SELECT count(*) FROM " + table;
    sqlite::query q(*db_, counting_);
    return q.row() ? q.number(0) : -1;
  }
  bool is_shared() const override { return false; }

 private:
  temporary_folder folder_;
  sqlite::connection* db_ = nullptr;
  std::string counting_;
};

}  // namespace

std::unique_ptr<ledger_storage> make_ledger_storage() {
  return std::make_unique<storage_in_sqlite>();
}

}  // namespace gate::testing
