#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "protocol/json/scan.hpp"
#include "tests/protocol/json/surrogates.hpp"

// The scanner against an independent parser, over many mutations of valid texts. Boost.JSON differs
// in two known ways: it refuses lone surrogates, and exponents that overflow an int (none is made
// here).
namespace gate::json {
namespace {

const std::vector<std::string> seeds{
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
    R"("params":{"name":"a__b","arguments":{"x":[1,2.5]}}})",
    R"([null,true,false,0,-1,1.5e-7,"",{"a":{}},[[]],"\u00e9\ud83d\ude00\n\"\\\/"])",
    R"({"tools":[{"name":"t",)"
    R"("description":"Longer than sixteen bytes, so that blocks are used","n":1E+2}]})",
    "{ \"a\" :\t[ 1 ,\r\n 2 ] , \"\xC3\xA9\" : \"\xE2\x82\xAC\xF0\x9F\x98\x80\" }",
    R"("just a string")",
    "-0.0",
    "[[[[[[[[[[1]]]]]]]]]]",
};

bool boost_accepts(const std::string& text) {
  boost::json::parse_options options;
  options.max_depth = 4096;
  boost::json::error_code error;
  boost::json::parse(text, error, {}, options);
  return !error;
}

std::string mutate(std::string text, std::mt19937& random) {
  static constexpr std::string_view bytes =
      "{}[]:,\"\\ \t\n\r0123456789+-.eEtruefalsnabcdu/\x01\x7f\x80\xC3\xE2\xF0\xFF";
  auto any = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (auto changes = 1 + any(4); changes != 0; --changes) {
    auto at = any(text.size() + 1);
    switch (any(5)) {
      case 0:
        text.insert(at, 1, bytes[any(bytes.size())]);
        break;
      case 1:
        text.erase(at, 1 + any(3));
        break;
      case 2:
        if (at < text.size()) text[at] = bytes[any(bytes.size())];
        break;
      case 3: {
        const auto& other = seeds[any(seeds.size())];
        auto from = any(other.size());
        text.insert(at, other.substr(from, any(12)));
        break;
      }
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << any(8)));
    }
  }
  return text;
}

TEST(json_agreement, seeds_are_valid) {
  for (const auto& text : seeds) {
    EXPECT_EQ(validate(text), fault::none) << text;
    EXPECT_TRUE(boost_accepts(text)) << text;
  }
}

TEST(json_agreement, mutations_are_judged_alike) {
  std::mt19937 random(20251125);
  int valid = 0, lone = 0;
  for (int i = 0; i < 60'000; ++i) {
    auto text = mutate(seeds[static_cast<std::size_t>(i) % seeds.size()], random);
    bool ours = validate(text, {4096, true}) == fault::none;
    bool theirs = boost_accepts(text);
    valid += ours;
    if (ours && !theirs && has_lone_surrogate(text)) {
      ++lone;
      continue;
    }
    ASSERT_EQ(ours, theirs) << text;
    if (ours) {
      ASSERT_EQ(validate(text, {4096, false}), fault::none) << text;
    }
  }
  EXPECT_GT(valid, 3'000) << "the mutations have become too wild to test anything";
  EXPECT_LT(lone, 3'000);
}

TEST(json_agreement, strings_are_unquoted_alike) {
  std::mt19937 random(7);
  std::string seed = R"("a\u00e9\ud83d\ude00\n\"\\\/\b\f\r\t\u0000 tail of the string")";
  int compared = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto text = mutate(seed, random);
    boost::json::error_code error;
    auto value = boost::json::parse(text, error);
    if (error || !value.is_string() || text.front() != '"' || text.back() != '"') continue;
    std::string ours;
    ASSERT_TRUE(unquote(text, ours)) << text;
    ASSERT_EQ(ours, std::string_view(value.get_string())) << text;
    ASSERT_EQ(json::quoted(ours), boost::json::serialize(value)) << text;
    ++compared;
  }
  EXPECT_GT(compared, 1'000);
}

}  // namespace
}  // namespace gate::json
