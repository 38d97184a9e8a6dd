#pragma once
/// An empty place for a ledger, in one of its houses: which, the program of the tests decides, by
/// what it is linked with. Tests of what both do alike use `any_ledger`.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tests/transport/support/ledger_requests.hpp"
#include "transport/ledger/house.hpp"

namespace gate::testing {

class ledger_storage {
 public:
  virtual ~ledger_storage() = default;
  /// What was there is still there. One at a time.
  virtual std::unique_ptr<ledger::house> open(ledger::id_source ids) = 0;
  /// Of a table, while nobody asks.
  virtual std::int64_t rows(const std::string& table) = 0;
  /// Others may have it open, too.
  virtual bool is_shared() const = 0;
};
std::unique_ptr<ledger_storage> make_ledger_storage();

class any_ledger : public ledger_requests {
 protected:
  any_ledger() { open(); }

  void open() {
    open_ = storage_->open([this] { return "dlv_" + std::to_string(++deliveries_made_); });
    house_ = open_.get();
  }
  void reopen() {
    open_.reset();
    open();
  }
  std::int64_t rows(const std::string& table) { return storage_->rows(table); }
  /// Leases of those who live no more are free.
  ledger::released release_all(std::int64_t now) {
    // Of what others share, it is not known who lives: they run out.
    const auto late = at(now) + std::chrono::seconds(60);
    return get<ledger::released>(storage_->is_shared() ? ledger::release_leases{late, false}
                                                       : ledger::release_leases{at(now), true});
  }

  std::unique_ptr<ledger_storage> storage_ = make_ledger_storage();
  std::unique_ptr<ledger::house> open_;
  int deliveries_made_ = 0;
};

}  // namespace gate::testing
