#include "protocol/http/verbs.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

TEST(verbs, are_told_to_clients) {
  struct row {
    verbs those;
    std::string_view allow, hint;
  };
  for (const auto& r : {row{{verb::get}, "Allow: GET\r\n", "use GET"},
                        row{{verb::post}, "Allow: POST\r\n", "use POST"},
                        row{{verb::get, verb::post}, "Allow: GET, POST\r\n", "use POST or GET"},
                        row{{verb::del, verb::post, verb::get},
                            "Allow: GET, POST, DELETE\r\n",
                            "use POST, GET or DELETE"},
                        row{{verb::options, verb::del, verb::patch, verb::get},
                            "Allow: GET, PATCH, DELETE, OPTIONS\r\n",
                            "use GET, PATCH, DELETE or OPTIONS"}}) {
    EXPECT_EQ(r.those.allow(), r.allow);
    EXPECT_EQ(r.those.hint(), r.hint);
  }
}

TEST(verbs, contain_what_was_named) {
  constexpr verbs some{verb::get, verb::del};
  static_assert(some.contains(verb::get) && some.contains(verb::del));
  static_assert(!some.contains(verb::post) && !some.contains(verb::options) &&
                !some.contains(verb::patch));
}

}  // namespace
}  // namespace gate::http
