// The page of a story: what it is made of, and that nothing in it can be more than data.
#include "simulations/runs/account.hpp"

#include <gtest/gtest.h>

#include "simulations/runs/kind.hpp"

namespace gate::runs {
namespace {

telling told(std::string_view of, std::uint64_t seed, detail d) {
  const auto& k = *find_kind(of);
  return k.make(seed, stories::tuning(k.settings()), {})->tell(d);
}

TEST(account, happenings_have_their_times) {
  EXPECT_EQ(boost::json::serialize(happenings("12 ms  call(1, 2)\n        log: WARN x\n"
                                              "40 ms    router#3 crashes\n3: visitor 1\n")),
            R"_([[12,"call(1, 2)"],[12,"log: WARN x"],[40,"  router#3 crashes"]])_");
}

TEST(account, long_texts_are_cut_between_characters) {
  EXPECT_EQ(shown("short"), "short");
  std::string text(shown_bytes - 1, 'a');
  text += "\u00e9 and more";
  EXPECT_EQ(shown(text),
            std::string(shown_bytes - 1, 'a') + "… (" + std::to_string(text.size()) + " bytes)");
}

TEST(account, no_text_can_end_the_script) {
  telling t;
  t.account = R"({"a":"</script><script>alert(1)</script><!--"})";
  const auto page = page_of(t);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find(R"(\u003c/script>\u003cscript>alert(1))"), std::string::npos);
  EXPECT_EQ(page.find("STORY_GOES_HERE"), std::string::npos);
  for (const auto* outside : {"http://", "https://", "src=", "@import", "innerHTML"}) {
    const auto at = page.find(outside);
    // (The namespace of SVG is a name, not a place.)
    EXPECT_TRUE(at == page.npos || page.substr(at).starts_with("http://www.w3.org/2000/svg"))
        << outside;
  }
}

TEST(account, looking_changes_no_story) {
  for (const auto* of : {"gateway", "fleet", "hooks", "shim"}) {
    const auto plain = told(of, 3, detail::events), looked = told(of, 3, detail::page);
    EXPECT_EQ(plain.trace, looked.trace) << of;
    const auto all = boost::json::parse(looked.account).as_object();
    EXPECT_EQ(all.at("requests").as_array().size(), looked.requests);
    const std::string_view kind = of;
    // (Children are no servers.)
    EXPECT_EQ(all.at("sights").as_array().size() > 10U, kind != "shim") << of;
    EXPECT_GT(all.at("happenings").as_array().size(), 10U);
    ASSERT_GT(all.at("samples").as_array().size(), 10U);
    bool clients = false, breakers = false;
    for (const auto& s : all.at("samples").as_array()) {
      clients = clients || s.at("clients").to_number<double>() > 0;
      breakers = breakers || !s.at("breakers").as_object().empty();
      // (A gateway alone is more.)
      EXPECT_GT(s.at("bytes").to_number<std::size_t>(), 100'000U) << of;
    }
    EXPECT_EQ(clients, kind != "hooks") << of;
    EXPECT_EQ(breakers, kind == "gateway" || kind == "fleet") << of;
  }
}

}  // namespace
}  // namespace gate::runs
