// A ledger's place in PostgreSQL: what the tests of both houses are linked with here.
#include "tests/transport/postgres/storage.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace gate::testing {

std::unique_ptr<postgres::database> open_postgres(const std::string& url, ledger::id_source ids,
                                                  std::chrono::seconds ahead) {
  const auto now = [ahead] {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()) + ahead;
  };
  auto out = postgres::database::open(url, {std::move(ids), now});
  if (!out) throw std::runtime_error(out.error().what);
  return std::move(*out);
}

namespace {

class storage_in_postgres final : public ledger_storage {
 public:
  std::unique_ptr<ledger::house> open(ledger::id_source ids) override {
    return open_postgres(url_, std::move(ids));
  }
  std::int64_t rows(const std::string& table) override {
    return postgres_server::number(url_, "SELECT count(*) FROM gate_hooks." + table);
  }
  bool is_shared() const override { return true; }

 private:
  std::string url_ = postgres_server::get().new_database();
};

}  // namespace

std::unique_ptr<ledger_storage> make_ledger_storage() {
  return std::make_unique<storage_in_postgres>();
}

}  // namespace gate::testing
