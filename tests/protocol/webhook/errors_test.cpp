// What is refused, and how it is written (protocol/webhook/writer).
#include "protocol/webhook/errors.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "protocol/webhook/writer.hpp"

namespace gate::webhook {
namespace {

TEST(errors, have_a_word_and_a_status_each) {
  const std::pair<error_code, error_row> table[] = {
      {error_code::validation, {"VALIDATION_ERROR", 400}},
      {error_code::auth_required, {"AUTH_REQUIRED", 401}},
      {error_code::auth_invalid, {"AUTH_INVALID", 401}},
      {error_code::forbidden, {"FORBIDDEN", 403}},
      {error_code::not_found, {"NOT_FOUND", 404}},
      {error_code::method_not_allowed, {"METHOD_NOT_ALLOWED", 405}},
      {error_code::timeout, {"REQUEST_TIMEOUT", 408}},
      {error_code::conflict, {"CONFLICT", 409}},
      {error_code::too_large, {"PAYLOAD_TOO_LARGE", 413}},
      {error_code::media_type, {"UNSUPPORTED_MEDIA_TYPE", 415}},
      {error_code::rate_limited, {"RATE_LIMITED", 429}},
      {error_code::internal, {"INTERNAL_ERROR", 500}},
      {error_code::unavailable, {"UNAVAILABLE", 503}},
  };
  std::set<std::string_view> names;
  for (const auto& [code, row] : table) {
    EXPECT_EQ(row_of(code).name, row.name);
    EXPECT_EQ(row_of(code).status, row.status) << row.name;
    names.insert(row_of(code).name);
  }
  EXPECT_EQ(names.size(), std::size(table));
  EXPECT_EQ(error_rows.size(), std::size(table));
}

TEST(errors, are_written_with_what_there_is_to_say) {
  EXPECT_EQ(render({error_code::not_found, "no such webhook", locus::nowhere, {}, {}}),
            R"({"error":"no such webhook","code":"NOT_FOUND"})");
  EXPECT_EQ(render({error_code::validation, "bad", locus::pointer, "/url", "write another"}),
            R"({"error":"bad","code":"VALIDATION_ERROR","details":{"pointer":"/url"},)"
            R"("hint":"write another"})");
  EXPECT_EQ(render({error_code::validation, "bad", locus::pointer, "", {}}),
            R"({"error":"bad","code":"VALIDATION_ERROR","details":{"pointer":""}})");
  EXPECT_EQ(render({error_code::validation, "bad", locus::parameter, "limit", {}}),
            R"({"error":"bad","code":"VALIDATION_ERROR","details":{"parameter":"limit"}})");
  EXPECT_EQ(render({error_code::conflict, "bad", locus::header, "Idempotency-Key", {}}),
            R"({"error":"bad","code":"CONFLICT","details":{"header":"Idempotency-Key"}})");
}

TEST(errors, are_json_whatever_they_say) {
  const auto text =
      render({error_code::validation, "\"\\\n\x80", locus::pointer, "/\"\x01", "\xFF"});
  const auto read = boost::json::parse(text);
  EXPECT_EQ(read.at("details").at("pointer"), "/\"\x01");
}

TEST(a_writer, puts_commas_between) {
  std::string out = "before ";
  object_writer w(out);
  w.text("a", "x\"y");
  w.number("b", -7);
  w.number("c", ~std::uint64_t{0});
  w.flag("d", true);
  w.flag("e", false);
  w.moment("f", wall_time{std::chrono::milliseconds{1'700'000'000'123}});
  w.moment("g", std::optional<wall_time>{});
  append_list(w, "h", std::vector<int>{}, [](int n, std::string& to) { to += std::to_string(n); });
  append_list(w, "i", std::vector{1, 2}, [](int n, std::string& to) { to += std::to_string(n); });
  object_writer inner(w.key("j"));
  inner.end();
  w.end();
  EXPECT_EQ(out, R"(before {"a":"x\"y","b":-7,"c":18446744073709551615,"d":true,"e":false,)"
                 R"("f":"2023-11-14T22:13:20.123Z","h":[],"i":[1,2],"j":{}})");
}

}  // namespace
}  // namespace gate::webhook
