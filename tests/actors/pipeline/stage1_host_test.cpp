// Stage 1: Host and Origin, and what was wrong with the header.
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage1 : sim::a_way {
  refusal refused_with(const std::vector<std::string>& lines) {
    return no(hosted(sim::make_request(verb::post, "/mcp", lines)));
  }
};

TEST_F(stage1, passes_hosts_that_are_allowed) {
  auto c = of<stage::host>(hosted(message("ping")));
  EXPECT_EQ(c->request().head->method, verb::post);
  EXPECT_EQ(c->ticket.notes().access, nullptr) << "who calls is not looked at yet";
  c->ticket.spend({});
}

TEST_F(stage1, refuses_other_hosts_and_origins) {
  EXPECT_EQ(refused_with({"Host: evil.test"}).why, reason::forbidden_host);
  EXPECT_EQ(refused_with({}).why, reason::forbidden_host) << "none at all";
  EXPECT_EQ(refused_with({"Host: gate.test", "Origin: http://evil.test"}).why,
            reason::forbidden_origin);
}

TEST_F(stage1, looks_at_the_host_before_other_flaws) {
  auto r = sim::make_request(verb::post, "/mcp", {"Host: evil.test"});
  r.flaw = http::defect::body_too_large;
  EXPECT_EQ(no(hosted(std::move(r))).why, reason::forbidden_host);
  r = sim::make_request(verb::post, "/mcp", {"Host: gate.test"});
  r.flaw = http::defect::body_too_large;
  EXPECT_EQ(no(hosted(std::move(r))).why, reason::body_too_large);
}

}  // namespace
}  // namespace gate::pipeline
