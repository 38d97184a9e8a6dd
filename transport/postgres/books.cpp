#include "transport/postgres/books.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace gate::postgres {
namespace {

template <class T>
std::vector<asked_for<T>> only(std::span<asked> all) {
  std::vector<asked_for<T>> out;
  for (auto& one : all)
    if (const auto* what = std::get_if<T>(one.what)) out.push_back({what, &one.said});
  return out;
}

template <class T>
constexpr bool is_merged = std::is_same_v<T, accept_events> || std::is_same_v<T, note_attempt>;

}  // namespace

std::optional<failure> books::read(asked& one) {
  one.said = std::visit(
      [this]<class T>(const T& x) -> answer {
        if constexpr (is_merged<T>)
          return refusal{refusal::reason::invalid, "this is no reading"};
        else
          return perform(*this, x);
      },
      *one.what);
  return db.take_failure();
}

std::optional<failure> books::write(std::span<asked> all) {
  moved_ = {};
  committing_ = false;
  db.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  write_all(all);
  write_counts();
  if (!db.failed()) {
    committing_ = true;
    if (db.commit()) return {};
  }
  db.roll_back();
  // Some may have been made by this transaction.
  organizations_.clear();
  return db.take_failure();
}

void books::write_all(std::span<asked> all) {
  accept_all(*this, only<accept_events>(all));
  note_all(*this, only<note_attempt>(all));
  for (auto& one : all) {
    if (db.failed()) return;
    std::visit(
        [&]<class T>(const T& x) {
          if constexpr (!is_merged<T>) one.said = perform(*this, x);
        },
        *one.what);
  }
}

/// The last that a transaction does, so that it has that row for the time of its commit only.
void books::write_counts() {
  if (db.failed() || std::ranges::all_of(moved_, [](auto n) { return n == 0; })) return;
  query q(db,
          "INSERT INTO counts AS c VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (slot) DO UPDATE SET "
          "pending = c.pending + EXCLUDED.pending, "
          "delivering = c.delivering + EXCLUDED.delivering, "
          "succeeded = c.succeeded + EXCLUDED.succeeded, failed = c.failed + EXCLUDED.failed, "
          "dead = c.dead + EXCLUDED.dead");
  q.with(counted_in_);
  for (const auto n : moved_) q.with(n);
  q.done();
}

std::optional<std::int64_t> books::organization(const std::string& name) {
  if (const auto found = organizations_.find(name); found != organizations_.end())
    return found->second;
  query q(db, "SELECT number FROM organizations WHERE name = ?");
  q.with(name);
  if (!q.row()) return {};
  if (organizations_.size() >= limits::ledger_organizations) organizations_.clear();
  return organizations_.emplace(name, q.number(0)).first->second;
}

std::vector<std::int64_t> books::organizations(const std::vector<std::string_view>& names) {
  std::vector<std::string> missing;
  for (const auto n : names)
    if (!organization(std::string(n))) missing.emplace_back(n);
  std::ranges::sort(missing);
  for (const auto& n : missing)
    query(db, "INSERT INTO organizations (name) VALUES (?) ON CONFLICT DO NOTHING").with(n).done();
  std::vector<std::int64_t> out;
  for (const auto n : names) out.push_back(organization(std::string(n)).value_or(0));
  return out;
}

}  // namespace gate::postgres
