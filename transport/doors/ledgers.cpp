#include "transport/ledgers.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "protocol/webhook/ids.hpp"
#include "transport/clock.hpp"
#include "transport/doors/ledger_actor.hpp"
#include "transport/ledger/writer.hpp"
#include "transport/postgres/database.hpp"

namespace gate {
namespace {

webhook::wall_time wall_now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

/// Ids of deliveries; made on a thread of the house's.
ledger::id_source delivery_ids() {
  auto make = std::make_shared<webhook::id_maker>(system_random());
  return [make] { return (*make)(webhook::id_kind::delivery, wall_now()); };
}

result<std::unique_ptr<ledger::house>> open_house(const ledger_place& at) {
  if (at.what == ledger_place::kind::postgres) {
    postgres::database::options how;
    how.ids = delivery_ids();
    how.now = wall_now;
    auto opened = postgres::database::open(at.where, std::move(how));
    if (!opened) return opened.error();
    return {boost::system::in_place_value, std::move(*opened)};
  }
  auto file = ledger::database_file::open(at.where, wall_now());
  if (!file) return file.error();
  return {boost::system::in_place_value,
          std::make_unique<ledger::writer>(std::move(*file), delivery_ids())};
}

}  // namespace

result<ledger_handle> open_ledger(caf::actor_system& system, const ledger_place& at) {
  auto house = open_house(at);
  if (!house) return house.error();
  return {boost::system::in_place_value,
          caf::actor_cast<ledger_handle>(system.spawn<doors::ledger_actor>(std::move(*house)))};
}

}  // namespace gate
