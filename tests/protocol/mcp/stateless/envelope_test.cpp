#include "protocol/mcp/stateless/envelope.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::string_view good = R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                  R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}},)"
                                  R"("io.modelcontextprotocol/logLevel":"info","progressToken":1})";

TEST(envelope, is_read) {
  const auto e = read_envelope(good);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->version, "2026-07-28");
  EXPECT_EQ(e->capabilities, R"({"roots":{}})");
  EXPECT_EQ(e->log_level, R"("info")");
}

TEST(envelope, needs_no_client_info_nor_log_level) {
  const auto e = read_envelope(R"({"io.modelcontextprotocol/protocolVersion":"2030-01-01",)"
                               R"("io.modelcontextprotocol\/clientCapabilities":{}})");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->version, "2030-01-01") << "whether it is known is not its business";
  EXPECT_EQ(e->log_level, "");
}

TEST(envelope, says_which_key_is_wrong) {
  const std::string v = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
  const std::string c = R"("io.modelcontextprotocol/clientCapabilities":{})";
  const auto meta = [](std::string members) { return "{" + members + "}"; };
  const auto what = [](const std::string& raw) {
    const auto e = read_envelope(raw);
    return e ? std::string("nothing") : e.error().what;
  };
  const std::string at = R"(params._meta["io.modelcontextprotocol/)";
  EXPECT_EQ(what(meta(c)), at + R"(protocolVersion"] is required)");
  EXPECT_EQ(what(meta(v)), at + R"(clientCapabilities"] is required)");
  EXPECT_EQ(what(meta(v + "," + v + "," + c)), at + R"(protocolVersion"] is there twice)");
  for (const auto& bad : {std::string("7"), std::string("{}"), std::string("null"),
                          '"' + std::string(limits::version_bytes, 'x') + '"'})
    EXPECT_EQ(what(meta(R"("io.modelcontextprotocol/protocolVersion":)" + bad + "," + c)),
              at + R"(protocolVersion"] must be a short string)");
  for (const std::string bad : {"7", "[]", "null", R"("{}")"})
    EXPECT_EQ(what(meta(v + R"(,"io.modelcontextprotocol/clientCapabilities":)" + bad)),
              at + R"(clientCapabilities"] must be an object)");
  for (const std::string bad :
       {R"("me")", "{}", R"({"name":"me"})", R"({"name":"me","version":1})"})
    EXPECT_EQ(what(meta(v + "," + c + R"(,"io.modelcontextprotocol/clientInfo":)" + bad)),
              at + R"(clientInfo"] must be an object with name and version)");
  for (const std::string bad : {R"("loud")", "1", "null"})
    EXPECT_EQ(what(meta(v + "," + c + R"(,"io.modelcontextprotocol/logLevel":)" + bad)),
              at + R"(logLevel"] must be one of debug, info, notice, warning, error, critical, )"
                   "alert, emergency");
  const std::string large = R"({"x":")" + std::string(limits::client_info_bytes, 'x') + "\"}";
  EXPECT_EQ(what(meta(v + R"(,"io.modelcontextprotocol/clientCapabilities":)" + large)),
            at + R"(clientCapabilities"] is too large)");
}

TEST(envelope, is_there_if_a_version_is_named) {
  EXPECT_TRUE(names_version(good));
  EXPECT_TRUE(names_version(R"({"io.modelcontextprotocol/protocolVersion":null})"));
  EXPECT_FALSE(names_version(""));
  EXPECT_FALSE(names_version("{}"));
  EXPECT_FALSE(names_version(R"({"x":{"io.modelcontextprotocol/protocolVersion":"1"}})"));
}

/// What is left of the params, and of each view into them.
jsonrpc::message opened(const std::string& body, std::shared_ptr<const std::string>& keep) {
  auto m = *jsonrpc::read(body);
  keep = take_off_envelope(m);
  EXPECT_EQ(m.params.data(), keep->data());
  return m;
}

TEST(envelope, is_taken_off_wherever_it_stands) {
  const auto request = [](std::string params) {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" + params + "}}";
  };
  const std::string meta = R"("_meta": )" + std::string(good);
  const std::string name = R"("name":"a","uri":"u",)",
                    others = R"("taskId":"t","cursor":"c",)"
                             R"("ref":{"type":"r","name":"n","uri":"v"})",
                    rest = name + others;
  std::shared_ptr<const std::string> keep;
  for (const auto& params : {meta + ", " + rest, rest + ", " + meta, name + meta + "," + others}) {
    const auto m = opened(request(params), keep);
    EXPECT_EQ(m.meta, R"({"progressToken":1})");
    EXPECT_EQ(m.name, R"("a")");
    EXPECT_EQ(m.uri, R"("u")");
    EXPECT_EQ(m.task_id, R"("t")");
    EXPECT_EQ(m.cursor, R"("c")");
    EXPECT_EQ(m.ref_type, R"("r")");
    EXPECT_EQ(m.ref_name, R"("n")");
    EXPECT_EQ(m.ref_uri, R"("v")");
    EXPECT_EQ(json::member(m.params, "_meta"), m.meta);
    EXPECT_EQ(json::validate(m.params), json::fault::none);
    EXPECT_EQ(m.params.find("io.modelcontextprotocol"), m.params.npos);
  }
}

TEST(envelope, is_put_on) {
  const auto members = write_envelope(R"({"roots":{}})", R"("info")");
  for (const std::string params : {"{}", R"({"_meta":{}})", R"({"_meta":{"a":1.0},"name":"x"})",
                                   R"({ "name":"x" , "_meta" : { "a":1.0 } })"}) {
    const auto out = put_on_envelope(params, members);
    EXPECT_EQ(json::validate(out), json::fault::none) << out;
    const auto e = read_envelope(json::member(out, "_meta"));
    ASSERT_TRUE(e) << out;
    EXPECT_EQ(e->version, "2026-07-28");
    EXPECT_EQ(e->capabilities, R"({"roots":{}})");
    EXPECT_EQ(e->log_level, R"("info")");
    EXPECT_EQ(json::member(json::member(out, "_meta"), "a"),
              json::member(json::member(params, "_meta"), "a"));
    EXPECT_EQ(json::member(out, "name"), json::member(params, "name"));
  }
  EXPECT_EQ(write_envelope("{}", "").find("logLevel"), std::string::npos);
}

}  // namespace
}  // namespace gate::mcp::stateless
