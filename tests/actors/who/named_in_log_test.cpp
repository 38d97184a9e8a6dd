#include "actors/who/named_in_log.hpp"

#include <gtest/gtest.h>

#include "simulations/world/heard_log.hpp"

namespace gate {
namespace {

const std::string digits = "4bf92f3577b34da6a3ce929d0e0e4736";

std::string line_with(const log::field& f) {
  sim::heard_log heard;
  log::warn("It failed.", {{"before", "1"}, f, {"after", "2"}});
  const auto& line = sim::heard_log::log().at(0);
  return line.substr(line.find("It failed."));
}

TEST(named_in_log, says_the_trace_that_is_known) {
  const auto lines = std::make_shared<const std::string>(
      trace::header_lines("00-" + digits + "-00f067aa0ba902b7-00", {}, {}));
  const auto id = trace::read_parent("00-" + digits + "-00f067aa0ba902b7-00").value().trace;
  for (const auto& f : {named_in_log(lines), named_in_log(id)})
    EXPECT_EQ(line_with(f), "It failed. before=1 traceId=" + digits + " after=2");
}

TEST(named_in_log, says_nothing_of_what_is_not) {
  const auto other = std::make_shared<const std::string>("baggage: k=v\r\n");
  for (const auto& f : {named_in_log(std::shared_ptr<const std::string>{}), named_in_log(other),
                        named_in_log(trace::trace_id{})})
    EXPECT_EQ(line_with(f), "It failed. before=1 after=2");
}

}  // namespace
}  // namespace gate
