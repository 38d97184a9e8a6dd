#include "transport/ledger/books.hpp"

namespace gate::ledger {
namespace {

refusal refusal_of(const sqlite::failure& f) {
  return {f.of_storage() ? refusal::reason::unavailable : refusal::reason::invalid, f.what};
}

}  // namespace

answer books::read(const request& r) {
  auto out = std::visit([this](const auto& x) { return perform(*this, x); }, r);
  if (const auto f = db.take_failure()) return refusal_of(*f);
  return out;
}

answer books::write(const request& r) {
  moved_ = {};
  answer out;
  {
    sqlite::savepoint all(db);
    out = std::visit([this](const auto& x) { return perform(*this, x); }, r);
    if (!std::holds_alternative<refusal>(out)) {
      write_counts();
      all.keep();
    }
  }
  if (const auto f = db.take_failure()) return refusal_of(*f);
  return out;
}

void books::write_counts() {
  for (std::size_t s = 0; s < moved_.size(); ++s)
    if (moved_[s] != 0)
      sqlite::query(db, "UPDATE counts SET deliveries = deliveries + ? WHERE status = ?")
          .with(moved_[s])
          .with(s)
          .done();
}

}  // namespace gate::ledger
