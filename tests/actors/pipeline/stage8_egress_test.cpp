// Stage 8: what the client may see of the answer. (Pages: page_test.cpp.)
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage8 : sim::a_way {
  /// What the client gets of this result of an upstream of that generation.
  std::string of_result(http_request r, std::string_view payload, mcp::era by) {
    EXPECT_TRUE(waits(proxied(std::move(r))));
    answered m;
    m.what = answer::result;
    m.payload = payload;
    m.by = by;
    auto passed = of<stage::proxy>(proxy_step::resume(std::move(*upstreams.parked), m, desk));
    auto c = of<stage::egress>(egress_step::run(std::move(passed), desk));
    auto out = c->lead + std::string(c->result) + c->tail;
    c->ticket.spend({});
    return out;
  }
};

TEST_F(stage8, leaves_results_of_the_clients_generation_alone) {
  const auto* odd = R"({ "content" : [ {"type":"text","text":"\u0041"} ] , "x":1e0})";
  EXPECT_EQ(of_result(message("tools/call", R"({"name":"a__x"})"), odd, mcp::era::session), odd);
}

TEST_F(stage8, cuts_the_page_that_was_asked_for) {
  struct one_page final : listing {
    mcp::cursor_content identity() const override { return {1, 0, 1, 0}; }
    std::optional<page> at(std::uint64_t offset) override {
      if (offset) return {};
      return page{std::make_shared<const std::string>(R"({"tools":[{"name":"a__x"}])"), 1, {}};
    }
    bool partial() const override { return false; }
    std::string beside(bool) const override { return {}; }
    bool has_meta(bool) const override { return false; }
    mcp::list_caching caching() const override { return {}; }
  };
  for (const auto* params : {"{}", R"({"cursor":"forged"})"}) {
    EXPECT_TRUE(waits(proxied(message("tools/list", params))));
    list_outcome ready{list_outcome::state::ready};
    ready.list = std::make_unique<one_page>();
    auto passed =
        of<stage::proxy>(proxy_step::resume_list(std::move(*lists.waiting_list), std::move(ready)));
    auto r = egress_step::run(std::move(passed), desk);
    if (params != std::string_view("{}")) {
      EXPECT_EQ(no(std::move(r)).why, reason::cursor_invalid);
      continue;
    }
    auto c = of<stage::egress>(std::move(r));
    EXPECT_EQ(std::string(c->result) + c->tail, R"({"tools":[{"name":"a__x"}]})");
    EXPECT_EQ(c->ticket.notes().items_served, 1U);
    c->ticket.spend({});
  }
}

}  // namespace
}  // namespace gate::pipeline
