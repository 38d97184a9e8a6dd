#include "protocol/http/media.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::http {
namespace {

constexpr std::string_view json = "application/json", stream = "text/event-stream";

TEST(media_type, parameters_and_case_do_not_matter) {
  for (auto value : {"application/json", "Application/JSON", "application/json;charset=utf-8",
                     "application/json ; charset=\"utf-8\"", " application/json ",
                     "application/json;", "application/json;a=\"x;y\""})
    EXPECT_TRUE(is_media_type(value, json)) << value;
  for (auto value : {"", ";", "application", "application/", "application/jsonx",
                     "application/json-rpc", "application/problem+json", "text/json",
                     "application/json, text/plain", "application /json",
                     "text/plain;application/json", "*/*", "application/*", "xapplication/json"})
    EXPECT_FALSE(is_media_type(value, json)) << value;
}

TEST(media_accept, what_admits) {
  for (auto value : {"",
                     " ",
                     "application/json",
                     "*/*",
                     "application/*",
                     "APPLICATION/Json",
                     "text/html, */*",
                     "text/html,application/json",
                     "application/json, text/event-stream",
                     "application/json;q=0.1",
                     "application/json; q=1.000",
                     "text/html;q=0, application/json",
                     ",,application/json,",
                     "application/json;charset=utf-8",
                     "text/x;a=\"q, b\", application/json",
                     "*/*;q=0.001",
                     "application/*;q=0, application/json",
                     "*/*;q=0,application/*",
                     "application/json;q=x",
                     "application/json;q=0.0001x",
                     "application/json;q=0, application/json"})
    EXPECT_TRUE(accepts(value, json)) << value;
}

TEST(media_accept, what_does_not) {
  for (auto value : {"text/html",
                     "text/event-stream",
                     "text/*",
                     "application/jsonx",
                     "application",
                     "*",
                     "*/json",
                     "application/json;q=0",
                     "application/json;q=0.0",
                     "application/json; Q=0.000",
                     "*/*;q=0",
                     "application/json;q=0, */*",
                     "application/*;q=0, */*",
                     "application/json;q=0, application/*",
                     "text/x;a=\", application/json\"",
                     ",",
                     ",;",
                     ";q=1",
                     "application/json;charset=x;q=0",
                     "application/json ; q = 0",
                     "application/json;q=0."})
    EXPECT_FALSE(accepts(value, json)) << value;
  EXPECT_FALSE(accepts("application/json", stream));
  EXPECT_TRUE(accepts("application/json, text/event-stream", stream));
  EXPECT_TRUE(accepts("text/*", stream));
}

TEST(media_accept, strange_quotes_end_somewhere) {
  for (auto value : {"\"", "\"\\", "a;b=\"", "a;b=\"\\\"", "\"a\"\"", "\\", "a;q=\"0\""})
    EXPECT_FALSE(accepts(value, json)) << value;
}

TEST(media_accept, of_several_headers_is_one_list) {
  const auto takes = [](std::vector<std::string_view> values, std::string_view type) {
    std::vector<header> all{{"Host", "a"}};
    for (auto v : values) all.push_back({all.size() % 2 ? "Accept" : "accept", v});
    return accepts(all, type);
  };
  EXPECT_TRUE(takes({}, json));
  EXPECT_TRUE(takes({"", " "}, json));
  EXPECT_TRUE(takes({"application/json", "text/event-stream"}, json));
  EXPECT_TRUE(takes({"application/json", "text/event-stream"}, stream));
  EXPECT_FALSE(takes({"", "text/html"}, json));
  EXPECT_FALSE(takes({"text/html", ""}, json));
  EXPECT_FALSE(takes({"*/*", "application/json;q=0"}, json)) << "the closest decides";
  EXPECT_FALSE(takes({"application/json;q=0", "*/*"}, json));
}

}  // namespace
}  // namespace gate::http
