#include "protocol/resp/handshake.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/resp/reader.hpp"
#include "protocol/resp/writer.hpp"

namespace gate::resp {
namespace {

using state = handshake::state;

const std::string master = "%3\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n+role\r\n+master\r\n";
const std::string replica = "%3\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n+role\r\n+replica\r\n";
const std::string ok = "+OK\r\n", pong = "+PONG\r\n";
const std::string unknown =
    "-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `u`, `s3cret`, \r\n";

/// A command as it is sent, with its words in one line.
std::string words(std::string_view bytes) {
  if (bytes.empty()) return {};
  const auto it = parse(bytes);
  std::string out;
  for (std::size_t i = 0; i < it->root().size(); ++i)
    out += (i ? " " : "") + std::string(it->root()[i].text());
  return out;
}

struct talk {
  std::vector<std::string> said;
  state end = state::hello;
  dialect speaks = dialect::resp3;
  std::string why;
};

talk play(std::string_view url, const std::vector<std::string>& answers,
          dialect most = dialect::resp3) {
  const auto to = parse_store_url(url).value();
  handshake h(to, most);
  talk t;
  const auto note = [&] {
    if (const auto out = words(h.take_output()); !out.empty()) t.said.push_back(out);
  };
  note();
  for (const auto& a : answers) {
    EXPECT_FALSE(h.over()) << "more was answered than asked";
    h.heard(parse(a)->root());
    note();
  }
  t.end = h.now();
  t.speaks = h.speaks();
  t.why = h.why();
  return t;
}

using list = std::vector<std::string>;

TEST(resp_handshake, with_resp3) {
  EXPECT_EQ(play("redis://h", {master, pong}).said, (list{"HELLO 3", "PING"}));
  EXPECT_EQ(play("redis://u:p@h", {master, pong}).said, (list{"HELLO 3 AUTH u p", "PING"}));
  EXPECT_EQ(play("redis://:p@h", {master, pong}).said, (list{"HELLO 3 AUTH default p", "PING"}));
  EXPECT_EQ(play("redis://:p@h/4", {master, ok, pong}).said,
            (list{"HELLO 3 AUTH default p", "SELECT 4", "PING"}));
  const auto t = play("redis://h/4", {master, ok, pong});
  EXPECT_EQ(t.end, state::ready);
  EXPECT_EQ(t.speaks, dialect::resp3);
}

TEST(resp_handshake, with_a_server_that_knows_resp2_only) {
  const list refusals{unknown, "-NOPROTO sorry\r\n", "-NOPERM no hello\r\n"};
  for (const auto& no : refusals) {
    const auto t = play("redis://u:p@h/4", {no, ok, ok, pong});
    EXPECT_EQ(t.said, (list{"HELLO 3 AUTH u p", "AUTH u p", "SELECT 4", "PING"})) << no;
    EXPECT_EQ(t.end, state::ready);
    EXPECT_EQ(t.speaks, dialect::resp2);
  }
  EXPECT_EQ(play("redis://:p@h", {unknown, ok, pong}).said,
            (list{"HELLO 3 AUTH default p", "AUTH p", "PING"}))
      << "servers without users do not know their names";
  EXPECT_EQ(play("redis://h", {unknown, pong}).said, (list{"HELLO 3", "PING"}));
}

TEST(resp_handshake, that_begins_with_resp2) {
  const auto t = play("redis://:p@h", {ok, pong}, dialect::resp2);
  EXPECT_EQ(t.said, (list{"AUTH p", "PING"}));
  EXPECT_EQ(t.speaks, dialect::resp2);
  EXPECT_EQ(play("redis://h", {pong}, dialect::resp2).end, state::ready);
}

TEST(resp_handshake, that_fails_says_why_and_what_to_do) {
  struct row {
    std::string url;
    std::vector<std::string> answers;
    std::string part;
  };
  const std::vector<row> all{
      {"redis://u:s3cret@h", {"-WRONGPASS invalid s3cret\r\n"}, "check those of the URL"},
      {"redis://h", {"-NOAUTH HELLO must be called\r\n"}, "wants a password"},
      {"redis://h", {"-DENIED Redis is running in protected mode\r\n"}, "protected mode"},
      {"redis://h", {replica}, "is a replica"},
      {"redis://h", {"%2\r\n+role\r\n+slave\r\n+proto\r\n:3\r\n"}, "is a replica"},
      {"redis://h", {ok}, "is no Redis server"},
      {"redis://h", {"*1\r\n:1\r\n"}, "is no Redis server"},
      {"redis://h", {"-WHATEVER\r\n"}, "refuses to begin"},
      {"redis://u:s3cret@h", {unknown, "-ERR invalid password s3cret\r\n"}, "the password"},
      {"redis://u:s3cret@h", {unknown, "-WRONGPASS s3cret\r\n"}, "the password"},
      {"redis://u:s3cret@h", {unknown, ":1\r\n"}, "is no Redis server"},
      {"redis://h", {unknown, "-NOAUTH\r\n"}, "wants a password"},
      {"redis://h/99", {master, "-ERR DB index is out of range\r\n"}, "no such database"},
      {"redis://h/99", {master, ":1\r\n"}, "is no Redis server"},
      {"redis://h", {master, "-NOPERM no ping\r\n"}, "access rules"},
      {"redis://h", {master, "+PANG\r\n"}, "is no Redis server"},
      {"redis://h", {master, "%0\r\n"}, "is no Redis server"},
  };
  for (const auto& r : all) {
    const auto t = play(r.url, r.answers);
    EXPECT_EQ(t.end, state::failed) << r.part;
    EXPECT_NE(t.why.find(r.part), std::string::npos) << t.why;
    EXPECT_EQ(t.why.find("s3cret"), std::string::npos) << t.why;
  }
}

TEST(resp_handshake, a_store_that_loads_its_data_is_no_failure) {
  const auto t = play("redis://h", {master, "-LOADING Redis is loading\r\n"});
  EXPECT_EQ(t.end, state::loading);
  EXPECT_NE(t.why.find("loading"), std::string::npos);
  EXPECT_EQ(play("redis://h/1", {master, "-LOADING x\r\n"}).end, state::loading);
}

TEST(resp_writer, writes_words_of_any_bytes) {
  std::string out;
  add_command(out, {"SET", std::string_view("a\0b", 3), ""});
  EXPECT_EQ(out, std::string("*3\r\n$3\r\nSET\r\n$3\r\na\0b\r\n$0\r\n\r\n", 28));
  begin_command(out, 1);
  add_word(out, "x\r\n");
  EXPECT_TRUE(out.ends_with("*1\r\n$3\r\nx\r\n\r\n"));
}

}  // namespace
}  // namespace gate::resp
