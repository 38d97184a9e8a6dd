#include "protocol/sse/writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/sse/parser.hpp"

namespace gate::sse {
namespace {

std::string written(std::string_view data, std::string_view id = {}) {
  std::string out;
  append_event(out, data, id);
  return out;
}

TEST(sse_writer, events) {
  EXPECT_EQ(written("{}"), "event: message\ndata: {}\n\n");
  EXPECT_EQ(written("{}", "7"), "event: message\nid: 7\ndata: {}\n\n");
  EXPECT_EQ(written("", "7"), "event: message\nid: 7\ndata: \n\n");
  EXPECT_EQ(written("{\n1\r\n2\r3\n\n}"),
            "event: message\ndata: {\ndata: 1\ndata: 2\ndata: 3\ndata: \ndata: }\n\n");
  EXPECT_EQ(written("\n"), "event: message\ndata: \ndata: \n\n");
  EXPECT_EQ(written("x", "a\nb"), "event: message\ndata: x\n\n") << "an id cannot write fields";
  std::string out = "before ";
  append_event(out, "x");
  EXPECT_EQ(out, "before event: message\ndata: x\n\n");
}

TEST(sse_writer, the_reader_gets_the_same_bytes) {
  for (std::string data :
       {"{\"a\":1}", " {\"a\":\n 1}", "\r\n{}\r\n", "x\ry", "", "\n", "\r\r\n\n", ":x\ndata: y"}) {
    std::string expected;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (data[i] == '\r' && i + 1 < data.size() && data[i + 1] == '\n') continue;
      expected += data[i] == '\r' ? '\n' : data[i];
    }
    parser p(1000);
    std::vector<event> events;
    auto stream = std::string(keep_alive) + written(data, "i") + std::string(keep_alive);
    p.feed(stream, [&](event&& e) { events.push_back(std::move(e)); });
    ASSERT_EQ(events.size(), 1u) << data;
    EXPECT_EQ(events[0].data, expected);
    EXPECT_EQ(events[0].id, "i");
    EXPECT_EQ(events[0].type, "message");
  }
}

}  // namespace
}  // namespace gate::sse
