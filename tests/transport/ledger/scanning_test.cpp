// Nothing reads a table of the SQLite file from one end to the other.
#include <gtest/gtest.h>

#include "tests/transport/support/ledger_file.hpp"
#include "transport/ledger/books.hpp"

namespace gate::ledger {
namespace {

using testing::at;
using webhook::state;

struct scanning : testing::ledger_file {
  scanning() { make_webhook("hook_1"); }
};

// Whatever is kept, each operation looks at what it is about.
TEST_F(scanning, nothing_reads_a_table_from_one_end_to_the_other) {
  for (int i = 0; i < 20; ++i) accept("evt_" + std::to_string(i));
  accept({event("evt_1")}, 1, "other");
  take("hook_1", 1, "A", 6);
  note("dlv_1", state::succeeded, 2, "A");
  note("dlv_2", state::failed, 2, "A");
  note("dlv_3", state::dead, 2, "A");
  note("dlv_4", state::dead, 2, "A");
  accept("evt_1");
  get<webhook_page>(list_webhooks{"acme", {}, 10});
  get<webhook::webhook>(patch_webhook{"acme", "hook_1", at(2), {}, {}, {}, true});
  get<webhook::webhook>(rotate_secret{"acme", "hook_1", "new", at(2), at(3)});
  get<due_page>(list_due{{}, 10});
  get<delivery_page>(list_deliveries{"acme", "hook_1", state::succeeded, {}, 10});
  get<delivery_page>(list_dead{"acme", {}, "", {}, 10});
  get<delivery_page>(list_dead{"acme", {}, "hook_1", {}, 10});
  get<dead_counts>(dead_stats{"acme", at(9)});
  get<requeued>(retry_delivery{"acme", "dlv_3", at(3)});
  get<requeued>(retry_dead{"acme", "hook_1", at(3)});
  take("hook_1", 3, "B");
  note("dlv_3", state::dead, 4, "B");
  get<done>(delete_dead{"acme", "dlv_3"});
  get<released>(give_back{"B", at(5)});
  get<released>(release_leases{at(99), false});
  get<cleaned>(clean{at(99), at(99)});
  get<done>(disable_webhook{"hook_1", webhook::disabled::gone, at(5)});
  get<done>(delete_webhook{"acme", "hook_1", at(6)});
  get<cleaned>(clean{at(99), at(99)});
  close();
  open();
  make_webhook("hook_2");
  counts();
  // These are five rows, and the webhooks.
  for (const auto& sql : db().full_scans())
    EXPECT_TRUE(sql == "SELECT status, deliveries FROM counts" ||
                sql.starts_with("SELECT count(*), min(CASE") || sql.find("schema") != sql.npos)
        << sql;
}

}  // namespace
}  // namespace gate::ledger
