#include "protocol/trace/ids.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace gate::trace {
namespace {

const std::string sampled_parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(a_parent, is_read_and_written) {
  const auto read = read_parent(sampled_parent);
  ASSERT_TRUE(read);
  EXPECT_EQ(hex(read->trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(hex(read->span), "00f067aa0ba902b7");
  EXPECT_TRUE(read->sampled());
  EXPECT_EQ(text_of(traceparent(*read)), sampled_parent);
  EXPECT_FALSE(read_parent("00" + sampled_parent.substr(2, 51) + "00")->sampled());
  EXPECT_TRUE(read_parent("cc" + sampled_parent.substr(2) + "-later")->sampled())
      << "of a later version";
}

TEST(a_parent, that_is_none_is_not_read) {
  for (const auto& bad : std::vector<std::string>{
           "", sampled_parent.substr(1), "ff" + sampled_parent.substr(2), sampled_parent + "-",
           "00-00000000000000000000000000000000-00f067aa0ba902b7-01"})
    EXPECT_FALSE(read_parent(bad)) << bad;
}

TEST(ids, come_from_the_randomness_that_is_handed_in_and_are_never_zero) {
  std::size_t draws = 0;
  std::mt19937 dice(7);
  id_source ids([&](std::span<std::uint8_t> out) {
    ++draws;
    std::size_t i = 0;
    // Whole runs of zeros, as a generator may give them.
    for (auto& byte : out) byte = i++ % 512 < 256 ? 0 : static_cast<std::uint8_t>(dice());
  });
  std::set<std::string> traces;
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(is_id(ids.span()));
    const auto id = ids.trace();
    EXPECT_TRUE(is_id(id));
    traces.insert(hex(id));
  }
  EXPECT_GT(draws, 1U);
  EXPECT_LT(draws, 20U) << "many of one draw";
  EXPECT_EQ(traces.size(), 200U);
}

TEST(a_sampler, takes_none_or_all) {
  trace_id least{}, most{};
  least[0] = 1;
  most.fill(0xFF);
  for (const auto& id : {least, most}) {
    EXPECT_FALSE(sampler(0).takes(id));
    EXPECT_TRUE(sampler(1).takes(id));
    EXPECT_TRUE(sampler(7).takes(id));
    EXPECT_FALSE(sampler(-1).takes(id));
  }
}

TEST(a_sampler, takes_its_share_by_the_last_digits) {
  const sampler half(0.5);
  std::size_t taken = 0;
  trace_id id{};
  for (int i = 0; i < 256; ++i) {
    id[9] = static_cast<std::uint8_t>(i);
    taken += half.takes(id);
    auto other = id;
    other[0] = 0xFF;  // what is before them says nothing
    other[8] = 0xFF;
    EXPECT_EQ(half.takes(id), half.takes(other));
  }
  EXPECT_EQ(taken, 128U);
}

}  // namespace
}  // namespace gate::trace
