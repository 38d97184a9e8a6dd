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
  do_everything();
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
