#include "protocol/mcp/session_id.hpp"

#include <gtest/gtest.h>

namespace gate::mcp {
namespace {

constexpr std::array<std::uint8_t, 16> random{0x00, 0x01, 0x0F, 0x10, 0x7F, 0x80, 0xAB, 0xFF,
                                              0xDE, 0xAD, 0xBE, 0xEF, 0x12, 0x34, 0x56, 0x78};

TEST(session_id, form) {
  EXPECT_EQ(make_session_id(random, 0x2A), "00010f107f80abffdeadbeef123456782a");
}

TEST(session_id, every_unit_comes_back) {
  for (int unit = 0; unit < 256; ++unit)
    EXPECT_EQ(unit_of(make_session_id(random, static_cast<std::uint8_t>(unit))), unit);
}

TEST(session_id, other_forms_name_no_unit) {
  const auto id = make_session_id(random, 3);
  for (std::string text : {std::string(), id.substr(1), id + "0", " " + id, id + " ",
                           std::string(34, 'g'), std::string(34, ' '), std::string(34, '\0'),
                           std::string("00010F107F80ABFFDEADBEEF123456782A"), "0x" + id.substr(2),
                           "-1" + id.substr(2)})
    EXPECT_FALSE(unit_of(text).has_value()) << text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    for (char c : {'/', ':', '@', '`', 'g', 'A', '\xFF'}) {
      auto wrong = id;
      wrong[i] = c;
      EXPECT_FALSE(unit_of(wrong).has_value()) << wrong;
    }
  }
}

}  // namespace
}  // namespace gate::mcp
