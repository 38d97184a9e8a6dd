#include "transport/http/status.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::http {
namespace {

TEST(status_line, code_phrase_and_end_of_line) {
  EXPECT_EQ(status_line(200), "200 OK\r\n");
  for (const int status : {200, 201, 202, 204, 304, 308, 400, 401, 403, 404,
                           405, 406, 408, 409, 413, 415, 429, 500, 502, 503}) {
    const auto line = status_line(status);
    EXPECT_TRUE(line.starts_with(std::to_string(status) + " ")) << line;
    EXPECT_TRUE(line.ends_with("\r\n")) << line;
    EXPECT_EQ(line.find('\r'), line.size() - 2) << line;
  }
}

TEST(status_line, what_we_never_send_is_an_internal_error) {
  for (const int status : {0, -1, 99, 299, 418, 999})
    EXPECT_EQ(status_line(status), status_line(500)) << status;
}

}  // namespace
}  // namespace gate::http
