#include "actors/audit/places.hpp"

#include <gtest/gtest.h>

namespace gate::audits {
namespace {

using config::sink_type;

struct audit_places : ::testing::Test {
  static config::audit_sink webhook(std::optional<config::text_map> headers = {},
                                    std::optional<std::string> secret = {}) {
    return {sink_type::webhook, "https://r.test/x", std::move(headers), std::move(secret), {}, {}};
  }
  static config::audit_sink file(const std::string& path, std::optional<std::int64_t> most = {}) {
    return {sink_type::file, {}, {}, {}, path, most};
  }
  auto open(std::vector<config::audit_sink> sinks) {
    return open_places({std::move(sinks)},
                       [](std::string_view name) -> std::optional<std::string> {
                         if (name == "GOOD") return "t0ken";
                         if (name == "BAD") return "a\r\nHost: evil";
                         return {};
                       },
                       {[] { return sink{[](std::string_view) { return lost_lines{}; }}; },
                        [this](const std::string& path, std::uint64_t most) -> result<sink> {
                          opened.push_back(path + " " + std::to_string(most));
                          if (path == "/bad") return problem{"it can not be opened"};
                          return sink{[](std::string_view) { return lost_lines{}; }, {}, [] {}};
                        }});
  }
  std::vector<place> good(std::vector<config::audit_sink> sinks) {
    return std::get<std::vector<place>>(open(std::move(sinks)));
  }
  std::vector<std::string> wrong(std::vector<config::audit_sink> sinks) {
    std::vector<std::string> out;
    const auto all = open(std::move(sinks));
    for (const auto& p : std::get<std::vector<config::config_problem>>(all))
      out.push_back(config::to_line(p));
    return out;
  }

  std::vector<std::string> opened;
};

TEST_F(audit_places, are_those_of_the_document_in_order) {
  const auto all = good({file("/a"), {}, webhook(), file("/b", 2'000'000)});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].type, sink_type::file);
  EXPECT_TRUE(all[0].lines.reopen);
  EXPECT_EQ(all[1].type, sink_type::standard_output);
  EXPECT_EQ(all[2].where.to->url.host, "r.test");
  EXPECT_FALSE(all[2].where.to->redirects);
  EXPECT_EQ(opened, (std::vector<std::string>{"/a 268435456", "/b 2000000"}));
}

TEST_F(audit_places, of_webhooks_say_what_is_sent_and_by_whom) {
  EXPECT_EQ(*good({webhook()})[0].where.headers, "Content-Type: application/json\r\n");
  EXPECT_EQ(*good({webhook({{{"content-type", "application/x"}, {"X-A", "b"}}}, "GOOD")})[0]
                 .where.headers,
            "X-A: b\r\ncontent-type: application/x\r\nAuthorization: Bearer t0ken\r\n");
}

TEST_F(audit_places, that_can_not_be_used_are_all_told) {
  EXPECT_EQ(wrong({file("/bad"), webhook({}, "MISSING"), webhook(), webhook({}, "BAD")}),
            (std::vector<std::string>{
                "/audit/sinks/0/path: it can not be opened",
                "/audit/sinks/1/bearerSecretRef: the environment variable MISSING is not set",
                "/audit/sinks/3/bearerSecretRef: the environment variable BAD holds what is not a "
                "bearer token"}));
}

}  // namespace
}  // namespace gate::audits
