#include "protocol/jsonrpc/message.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/limits.hpp"

namespace gate::jsonrpc {
namespace {

std::string with_id(const std::string& id) {
  return R"({"jsonrpc":"2.0","method":"m","id":)" + id + "}";
}

/// A reading_error that outlives the text.
struct refused {
  int code = 0;
  std::string what, id;
};

/// Expects a refusal and returns it.
refused refusal(std::string_view text) {
  auto m = read(text);
  EXPECT_TRUE(m.has_error()) << text;
  if (!m.has_error()) return {};
  return {m.error().code, m.error().what, std::string(m.error().id)};
}

TEST(jsonrpc_read, a_request) {
  std::string text =
      R"( {"jsonrpc" : "2.0", "id":7,"params":{ "name" : "a__b", "arguments":{"x":1.0},)"
      R"("_meta":{"progressToken":1},"uri":"file:///x","cursor":"c","requestId":3},)"
      R"("method":"tools/call", "extra":[1] } )";
  auto m = read(text);
  ASSERT_TRUE(m.has_value()) << m.error().what;
  EXPECT_EQ(m->kind, kind::request);
  EXPECT_EQ(m->id, "7");
  EXPECT_EQ(m->method, "tools/call");
  EXPECT_EQ(m->params.front(), '{');
  EXPECT_EQ(m->params.back(), '}');
  EXPECT_EQ(json::validate(m->params), json::fault::none);
  EXPECT_EQ(m->name, "\"a__b\"");
  EXPECT_EQ(m->uri, "\"file:///x\"");
  EXPECT_EQ(m->cursor, "\"c\"");
  EXPECT_EQ(m->meta, "{\"progressToken\":1}");
  EXPECT_EQ(m->request_id, "3");
  EXPECT_EQ(m->result, "");
  EXPECT_EQ(m->error, "");
}

TEST(jsonrpc_read, the_other_kinds) {
  auto note = read(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(note->kind, kind::notification);
  EXPECT_EQ(note->id, "");
  EXPECT_EQ(note->params, "");
  auto result = read(R"({"result":{"a":1e400},"id":"x","jsonrpc":"2.0"})");
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->kind, kind::response);
  EXPECT_EQ(result->id, "\"x\"");
  EXPECT_EQ(result->result, R"({"a":1e400})");
  auto error = read(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}})");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, kind::response);
  EXPECT_EQ(error->error, R"({"code":-1,"message":"m"})");
  auto unowned = read(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}})");
  ASSERT_TRUE(unowned.has_value()) << "errors about unreadable requests come without an id";
  EXPECT_EQ(unowned->kind, kind::response);
  EXPECT_EQ(unowned->id, "");
  auto plain = read(R"({"jsonrpc":"2.0","id":1,"result":null})");
  ASSERT_TRUE(plain.has_value()) << "results pass whatever they are";
  EXPECT_EQ(plain->result, "null");
}

TEST(jsonrpc_read, ids_are_strings_and_integers) {
  std::string longest = '"' + std::string(limits::request_id_bytes - 2, 'x') + '"';
  for (std::string id : {"0", "-1", "1", "9007199254740993", "123456789012345678901234567890",
                         "\"a\"", "\"\"", "\"1\"", "\"\\u0041\"", "\"e.5\"", longest.c_str()}) {
    auto text = with_id(id);
    auto m = read(text);
    ASSERT_TRUE(m.has_value()) << id;
    EXPECT_EQ(m->id, id);
    EXPECT_EQ(m->kind, kind::request);
  }
  std::string too_long = '"' + std::string(limits::request_id_bytes - 1, 'x') + '"';
  std::string huge(limits::request_id_bytes + 1, '1');
  for (std::string id : {"1.0", "1.5", "1e3", "1E3", "-1e0", "0.0", "null", "true", "false", "{}",
                         "[]", "[1]", "{\"a\":1}", too_long.c_str(), huge.c_str()}) {
    auto e = refusal(with_id(id));
    EXPECT_EQ(e.code, invalid_request) << id;
    EXPECT_EQ(e.id, "") << "an unusable id is not echoed";
  }
}

TEST(jsonrpc_read, bad_requests) {
  const std::vector<std::string> table{
      R"(1)",
      R"("x")",
      R"(null)",
      R"({})",
      R"({"jsonrpc":"2.0"})",
      R"({"jsonrpc":"2.0","id":1})",
      R"({"id":1,"method":"m"})",
      R"({"jsonrpc":"1.0","id":1,"method":"m"})",
      R"({"jsonrpc":2.0,"id":1,"method":"m"})",
      R"({"jsonrpc":"2.00","id":1,"method":"m"})",
      R"({"jsonrpc":"","id":1,"method":"m"})",
      R"({"jsonrpc":null,"id":1,"method":"m"})",
      R"({"jsonrpc":"2.0","id":1,"method":1})",
      R"({"jsonrpc":"2.0","id":1,"method":null})",
      R"({"jsonrpc":"2.0","id":1,"method":""})",
      R"({"jsonrpc":"2.0","id":1,"method":"\u00e9"})",
      R"({"jsonrpc":"2.0","id":1,"method":"m\u0000"})",
      R"({"jsonrpc":"2.0","id":1,"method":"m\n"})",
      R"({"jsonrpc":"2.0","id":1,"method":"tools\u0020call"})",
      R"({"jsonrpc":"2.0","id":1,"method":"tools call"})",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC3\xA9\"}",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\x7F\"}",
      R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(limits::method_bytes + 1, 'm') + "\"}",
      R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})",
      R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})",
      R"({"jsonrpc":"2.0","id":1,"method":"m","params":"x"})",
      R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":null}})",
      R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":[]}})",
      R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})",
      R"({"jsonrpc":"2.0","id":1,"method":"m","error":{}})",
      R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})",
      R"({"jsonrpc":"2.0","id":1,"error":"x"})",
      R"({"jsonrpc":"2.0","id":1,"error":null})",
      R"({"jsonrpc":"2.0","result":{}})",
      R"({"jsonrpc":"2.0","id":null,"error":{}})",
      R"({"jsonrpc":"2.0","id":1,"params":{}})",
  };
  for (const auto& text : table) {
    auto e = refusal(text);
    EXPECT_EQ(e.code, invalid_request) << text;
    EXPECT_FALSE(e.what.empty()) << text;
  }
}

TEST(jsonrpc_read, a_method_is_what_it_says_however_it_is_written) {
  const auto method = [](std::string_view raw) {
    const auto text = R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(raw) + "\"}";
    auto m = read(text);
    EXPECT_TRUE(m.has_value()) << raw;
    if (!m) return std::string();
    auto copy = *m;  // what it points to lives as long as any copy
    m = read("{}");
    return std::string(copy.method);
  };
  EXPECT_EQ(method("tools/call"), "tools/call");
  EXPECT_EQ(method(R"(tools\/call)"), "tools/call");
  EXPECT_EQ(method(R"(\u0074\u006F\u006fls\u002Fcall)"), "tools/call");
  EXPECT_EQ(method(R"(a\\b\"c)"), R"(a\b"c)");
  // The bound is that of the name, not of its spelling.
  std::string longest, escaped;
  for (std::size_t i = 0; i < limits::method_bytes; ++i) {
    longest += 'm';
    escaped += R"(\u006d)";
  }
  EXPECT_EQ(method(longest), longest);
  EXPECT_EQ(method(escaped), longest);
  for (const auto& over : {longest + 'm', escaped + 'm', escaped + R"(\u006d)"})
    EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":")" + over + "\"}").what,
              "method is too long");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"tools/call"})")->resolved, nullptr);
}

TEST(jsonrpc_read, what_is_not_json_is_a_parse_error) {
  for (std::string_view text :
       {"", " ", "{", "[", "]", "[]", "[1]", R"([{"jsonrpc":"2.0","method":"m"}])",
        R"({"jsonrpc":"2.0","id":1,"method":"m")", R"({"jsonrpc":"2.0","id":1,"method":"m"} x)",
        R"({"jsonrpc":"2.0","id":01,"method":"m"})", R"({"jsonrpc":"2.0","id":1,"method":"m",})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":}})",
        "{\"jsonrpc\":\"2.0\",\"x\":\"\xFF\"}", R"({"jsonrpc":"2.0","id":1,"id":2,"method":})", "x",
        "\xEF\xBB\xBF{}"}) {
    auto e = refusal(text);
    EXPECT_EQ(e.code, parse_error) << text;
    EXPECT_EQ(e.id, "") << text;
  }
}

TEST(jsonrpc_read, duplicates_of_what_matters_are_refused) {
  const std::string head = R"({"jsonrpc":"2.0","id":1,"method":"m",)";
  for (std::string member :
       {R"("jsonrpc":"2.0")", R"("id":1)", R"("id":2)", R"("method":"m")", R"("method":"n")",
        R"("\u0069d":2)", R"("m\u0065thod":"n")", R"("params":{},"params":{})",
        R"("params":{},"p\u0061rams":{})", R"("params":{},"params":1)",
        R"("params":{"name":"a"},"params":{"name":"b"})"}) {
    auto e = refusal(head + member + "}");
    EXPECT_EQ(e.code, invalid_request) << member;
  }
  EXPECT_EQ(refusal(head + R"("id":2})").id, "") << "which of two ids is right nobody knows";
  EXPECT_EQ(refusal(head + R"("method":"n"})").id, "1");
  for (std::string tail :
       {R"("result":1,"result":2)", R"("error":{},"error":{})", R"("result":1,"r\u0065sult":2)"})
    EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,)" + tail + "}").code, invalid_request) << tail;
  for (const auto watched : param_names) {
    const std::string name(watched);
    std::string value = name == "_meta" ? "{}" : "\"v\"";
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(name[0]));
    auto escaped = escape + name.substr(1);
    for (const auto& second : {name, escaped}) {
      auto text =
          head + R"("params":{")" + name + "\":" + value + ",\"" + second + "\":" + value + "}}";
      auto e = refusal(text);
      EXPECT_EQ(e.code, invalid_request) << text;
      EXPECT_EQ(e.id, "1");
    }
  }
}

TEST(jsonrpc_read, other_duplicates_pass) {
  for (std::string_view text :
       {R"({"jsonrpc":"2.0","id":1,"method":"m","x":1,"x":2})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"x":1,"x":2}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"name":1,"name":2}}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","name":1,"uri":2,"name":3})",
        R"({"jsonrpc":"2.0","id":1,"result":{"name":1,"name":2}})"})
    EXPECT_TRUE(read(text).has_value()) << text;
}

TEST(jsonrpc_read, an_escaped_key_counts_as_that_key) {
  auto m = read(R"({"\u006asonrpc":"\u0032.0","\u0069d":5,"m\u0065thod":"m",)"
                R"("p\u0061rams":{"n\u0061me":"x","\u005fmeta":{"k":1}}})");
  ASSERT_TRUE(m.has_value()) << m.error().what;
  EXPECT_EQ(m->id, "5");
  EXPECT_EQ(m->method, "m");
  EXPECT_EQ(m->name, "\"x\"");
  EXPECT_EQ(m->meta, "{\"k\":1}");
}

TEST(jsonrpc_read, names_that_are_no_strings_are_not_names) {
  auto m =
      read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"name":5,"uri":null,"cursor":6}})");
  ASSERT_TRUE(m.has_value());
  EXPECT_EQ(m->name, "");
  EXPECT_EQ(m->uri, "");
  EXPECT_EQ(m->cursor, "6");
}

TEST(jsonrpc_read, the_id_is_found_wherever_it_stands) {
  EXPECT_EQ(refusal(R"({"jsonrpc":"1.0","method":"m","id":42})").id, "42");
  EXPECT_EQ(refusal(R"({"params":[],"method":"m","id":"z"})").id, "\"z\"");
}

TEST(jsonrpc_read, limits_are_those_of_the_caller) {
  auto deep = [](int n) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" +
           std::string(static_cast<std::size_t>(n), '[') +
           std::string(static_cast<std::size_t>(n), ']') + "}}";
  };
  EXPECT_TRUE(read(deep(126)).has_value());
  EXPECT_TRUE(read(deep(127)).has_error());
  EXPECT_TRUE(read(deep(127), {129, true}).has_value());
  std::string flat = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{}})";
  EXPECT_EQ(read(flat, {0, true}).error().code, parse_error);
  EXPECT_EQ(read(flat, {1, true}).error().code, parse_error);
  EXPECT_TRUE(read(flat, {2, true}).has_value());
  std::string latin = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xE9\"}";
  EXPECT_TRUE(read(latin).has_error());
  EXPECT_TRUE(read(latin, {128, false}).has_value());
}

TEST(jsonrpc_batch, is_recognised_by_its_first_byte) {
  EXPECT_TRUE(is_batch("[]"));
  EXPECT_TRUE(is_batch(" \r\n\t[1"));
  EXPECT_FALSE(is_batch(""));
  EXPECT_FALSE(is_batch("{}"));
  EXPECT_FALSE(is_batch("x["));
}

TEST(jsonrpc_batch, is_split) {
  auto batch = read_batch(R"( [ {"a":1} , 2,"x", [ ] ] )");
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(*batch, (std::vector<std::string_view>{R"({"a":1})", "2", "\"x\"", "[ ]"}));
  auto list = [](std::size_t n) {
    std::string text = "[";
    for (std::size_t i = 0; i < n; ++i) text += i ? ",1" : "1";
    return text + "]";
  };
  auto longest = list(limits::batch_length);
  ASSERT_TRUE(read_batch(longest).has_value());
  EXPECT_EQ(read_batch(longest)->size(), limits::batch_length);
  EXPECT_EQ(read_batch(list(limits::batch_length + 1)).error().code, invalid_request);
  for (std::string_view text : {"[]", " [ ] ", "{}", "1"})
    EXPECT_EQ(read_batch(text).error().code, invalid_request) << text;
  for (std::string_view text : {"", "[", "[1", "[1,]", "[1]]", "[1] x", "[01]"})
    EXPECT_EQ(read_batch(text).error().code, parse_error) << text;
  EXPECT_EQ(read_batch("[1]", {0, true}).error().code, parse_error);
}

TEST(jsonrpc_write, heads_and_whole_messages) {
  EXPECT_EQ(result_head("7"), R"({"jsonrpc":"2.0","id":7,"result":)");
  EXPECT_EQ(error_head("\"a\""), R"({"jsonrpc":"2.0","id":"a","error":)");
  EXPECT_EQ(error_head(""), R"({"jsonrpc":"2.0","error":)");
  EXPECT_EQ(error_message("1", -32600, "no \"x\"\n"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no \"x\"\n"}})");
  EXPECT_EQ(error_message("", -32700, "m", R"({"gate":{}})"),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"m","data":{"gate":{}}}})");
  EXPECT_EQ(request("3", "ping"), R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  EXPECT_EQ(request("", "notifications/x", "{\"a\":1.0}"),
            R"({"jsonrpc":"2.0","method":"notifications/x","params":{"a":1.0}})");
}

TEST(jsonrpc_write, what_is_written_can_be_read) {
  auto call = request("\"i\"", "tools/call", R"({"name":"n"})");
  auto m = read(call);
  ASSERT_TRUE(m.has_value());
  EXPECT_EQ(m->kind, kind::request);
  EXPECT_EQ(m->name, "\"n\"");
  auto answer = error_message("", internal_error, "\xFF");
  ASSERT_TRUE(read(answer).has_value());
  auto result = result_head("1") + "{}" + "}";
  ASSERT_TRUE(read(result).has_value());
}

TEST(jsonrpc_read, notes_what_the_stateless_generation_looks_at) {
  const auto request = [](const std::string& params) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{)" + params + "}}";
  };
  auto text = request(R"("name":"a","_meta":{"x":1},"argument\u0073":{"a":1.0})");
  EXPECT_FALSE(read(text)->other_params);
  EXPECT_EQ(read(text)->arguments, R"({"a":1.0})");
  for (const std::string params : {R"("name":"a","request\u0053tate":"x")", R"("":1)"}) {
    text = request(params);
    EXPECT_TRUE(read(text)->other_params);
    EXPECT_EQ(read(text)->arguments, "");
  }
  const auto type = [&](const std::string& result) {
    text = R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
    return read(text, {}, sender::server)->result_type;
  };
  EXPECT_EQ(type(R"({"x":{"resultType":1},"result\u0054ype":"a","resultType":"b"})"), R"("a")");
  EXPECT_EQ(type("{}"), "");
  EXPECT_EQ(type("[]"), "");
}

TEST(message_task, is_what_a_request_names) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"taskId":"t\u0031"}})")->task_id,
            R"("t\u0031")");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"taskId":7}})")->task_id, "");
  EXPECT_FALSE(
      read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"taskId":"a","task\u0049d":"b"}})"));
}

TEST(message_task, is_what_a_result_mints_however_it_is_spelled) {
  const auto m = read(R"({"jsonrpc":"2.0","id":1,"result":{"t\u0061skId":"t","result\u0054ype":)"
                      R"("t\u0061sk","\u005fmeta":{"us\u0061ge":{"n":1}}}})");
  ASSERT_TRUE(m.has_value());
  EXPECT_EQ(m->task_id, R"("t")");
  EXPECT_EQ(m->usage, R"({"n":1})");
}

TEST(message_task, is_what_a_result_mints) {
  const auto minted = [](std::string result) {
    const auto text = R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
    auto m = read(text);
    EXPECT_TRUE(m) << result;
    EXPECT_EQ(m->result, result);
    return std::string(m->task_id);
  };
  EXPECT_EQ(minted(R"({"task":{"taskId":"t","status":"working"}})"), R"("t")");
  EXPECT_EQ(minted(R"({"_meta":{"usage":1,"task":{"taskId":"t"}},"content":[]})"), R"("t")");
  EXPECT_EQ(minted(R"({"taskId":"t","resultType":"task"})"), R"("t")");
  // The answer to tasks/get, and what only looks like a mint.
  for (auto result : {R"({"taskId":"t","status":"working"})", R"({"task":"t"})", R"({"task":[]})",
                      R"({"task":{"taskId":7}})", R"({"resultType":"complete","taskId":"t"})",
                      R"({"x":{"task":{"taskId":"t"}}})", R"({"_meta":{"task":null}})"})
    EXPECT_EQ(minted(result), "") << result;
}

TEST(read_result, says_whether_the_tool_has_failed) {
  const auto failed = [](std::string_view result) {
    return read(R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(result) + "}", {},
                sender::server)
        ->has.failed;
  };
  EXPECT_TRUE(failed(R"({"content":[],"isError":true})"));
  EXPECT_TRUE(failed(R"({"is\u0045rror" : true })"));
  for (const auto* not_so : {"{}", R"({"isError":false})", R"({"isError":"true"})",
                             R"({"structuredContent":{"isError":true}})", "7"})
    EXPECT_FALSE(failed(not_so)) << not_so;
}

}  // namespace
}  // namespace gate::jsonrpc
