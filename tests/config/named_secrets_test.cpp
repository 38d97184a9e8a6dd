#include "config/named_secrets.hpp"

#include <gtest/gtest.h>

namespace gate::config {
namespace {

using names = std::vector<std::string>;

TEST(named_secrets, are_those_that_references_name_wherever_they_stand) {
  EXPECT_EQ(named_secrets(R"({"server":{"fleetKeyRef":"FLEET"},"upstreams":[
      {"auth":{"secretRef":"ONE","header":"X"}},{"auth":{"clientSecretRef":"TWO"}}]})"),
            (names{"FLEET", "ONE", "TWO"}));
}

TEST(named_secrets, what_is_no_name_or_no_document_names_nothing) {
  EXPECT_EQ(named_secrets(R"({"secretRef":7,"refs":"A","Referrer":"B"})"), names{});
  EXPECT_EQ(named_secrets("no JSON"), names{});
  EXPECT_EQ(named_secrets(""), names{});
  EXPECT_EQ(named_secrets(R"({"secretRef":{"deeperRef":"C"}})"), names{"C"});
}

}  // namespace
}  // namespace gate::config
