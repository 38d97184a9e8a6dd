#include "actors/reload/loader_actor.hpp"

#include "config/discovery/discovered.hpp"
#include "config/validate.hpp"
#include "protocol/limits.hpp"
#include "tests/support/actor_test.hpp"
#include "transport/log.hpp"

namespace gate::reload {
namespace {

using list = std::vector<std::string>;

std::string entry(const std::string& id, const std::string& more = "") {
  return R"({"id": ")" + id + R"(", "namespace": ")" + id + R"(", "url": "http://)" + id +
         R"(.test/mcp")" + (more.empty() ? "" : ", " + more) + "}";
}

/// The operator's document of these upstreams.
std::string own(const std::string& entries, const std::string& more = "") {
  return R"({"discovery": {"url": "https://r.test", "allowedUpstreamHosts": ["*.test"]},
             "upstreams": [)" +
         entries + "]" + (more.empty() ? "" : ", " + more) + "}";
}

std::string found(const std::string& entries) {
  return R"({"upstreams": [)" + entries + "]}";
}

snapshot_ptr running(const std::string& text) {
  auto p = config::load(text);
  EXPECT_TRUE(p.problems.empty());
  return config::compile(std::move(p.doc));
}

/// GATEWAY, as LOADER knows it.
class asker final : public loading_user::base {
 public:
  asker(caf::actor_config& cfg, std::vector<loaded>& answers)
      : loading_user::base(cfg), answers_(answers) {}
  behavior_type make_behavior() override {
    return {[this](const loaded& m) { answers_.push_back(m); }};
  }

 private:
  std::vector<loaded>& answers_;
};

class a_loader : public sim::actor_test {
 protected:
  ~a_loader() override { clear_stage(); }

  void begin(const std::string& document, std::function<result<std::string>()> source = {}) {
    first_ = running(document);
    auto compiler = std::make_shared<gate::config::compiler>();
    compiler->follow(first_);
    loader_ = system().spawn<loader_actor>(loader_parts{std::move(compiler), std::move(source),
                                                        system().spawn<asker>(std::ref(answers_))});
  }
  /// The answer to this message.
  template <class M>
  loaded answer(M m) {
    m.number = ++number_;
    tell(loader_, std::move(m));
    EXPECT_EQ(answers_.size(), number_) << "one answer each";
    EXPECT_EQ(answers_.back().number, number_);
    EXPECT_EQ(answers_.back().snapshot == nullptr, !answers_.back().problems.empty());
    return answers_.back();
  }
  loaded document(std::optional<std::string> text) { return answer(load_document{0, text}); }
  loaded discovered(std::string text) { return answer(load_discovered{0, std::move(text)}); }

  /// Ids and whether they are discovered.
  static list ids(const snapshot_ptr& s) {
    list out;
    for (const auto& u : s->upstreams) out.push_back((u.discovered ? "+" : "") + u.id);
    return out;
  }
  static list lines(const loaded& l) {
    list out;
    for (const auto& p : l.problems) out.push_back(to_line(p));
    return out;
  }

  snapshot_ptr first_;
  loader_handle loader_;
  std::vector<loaded> answers_;
  std::uint64_t number_ = 0;
};

TEST_F(a_loader, makes_the_next_snapshot) {
  begin(own(entry("a") + "," + entry("b")));
  const auto l = document(own(entry("c") + "," + entry("a")));
  ASSERT_EQ(lines(l), list{});
  EXPECT_EQ(l.snapshot->generation, 2U);
  EXPECT_EQ(ids(l.snapshot), (list{"c", "a"}));
  EXPECT_EQ(l.snapshot->find("a")->index, first_->find("a")->index);
  EXPECT_EQ(l.snapshot->find("c")->index, 2U);
}

TEST_F(a_loader, answers_with_a_snapshot_even_if_nothing_changed) {
  begin(own(entry("a")));
  const auto l = document(own(entry("a")));
  ASSERT_EQ(lines(l), list{});
  EXPECT_EQ(l.snapshot->generation, 2U);
  EXPECT_EQ(l.snapshot->doc, first_->doc);
}

TEST_F(a_loader, puts_the_halves_together) {
  begin(own(entry("a")));
  auto l = discovered(found(entry("x") + "," + entry("y")));
  ASSERT_EQ(lines(l), list{});
  EXPECT_EQ(ids(l.snapshot), (list{"a", "+x", "+y"}));
  const auto x = l.snapshot->find("x")->index;
  // The operator's document changes, what is discovered stays.
  l = document(own(entry("b") + "," + entry("a")));
  ASSERT_EQ(lines(l), list{});
  EXPECT_EQ(ids(l.snapshot), (list{"b", "a", "+x", "+y"}));
  EXPECT_EQ(l.snapshot->find("x")->index, x);
  // What is discovered changes, the operator's stays.
  l = discovered(found(entry("x")));
  ASSERT_EQ(lines(l), list{});
  EXPECT_EQ(ids(l.snapshot), (list{"b", "a", "+x"}));
  EXPECT_EQ(l.snapshot->find("x")->index, x);
  l = discovered(found(""));
  EXPECT_EQ(ids(l.snapshot), (list{"b", "a"}));
  EXPECT_EQ(l.snapshot->generation, 5U);
  EXPECT_EQ(l.snapshot->discovered_from, 2U);
}

TEST_F(a_loader, changes_nothing_when_it_refuses) {
  begin(own(entry("a")));
  discovered(found(entry("x")));
  const auto good = answers_.back().snapshot;
  for (const auto& [what, refusal] : std::vector<std::pair<std::string, loaded>>{
           {"/upstreams/0/url: ", document(own(R"({"id": "b", "url": "ftp://b"})"))},
           {"/upstream: unknown field", document(R"({"upstream": []})")},
           {"/tracing: the tracing section cannot change without a restart",
            document(own(entry("b"), R"("tracing": {"otlpEndpoint": "http://o"})"))},
           {"/routing: the routing section cannot change without a restart",
            document(own(entry("b"), R"("routing": {"pageSize": 5})"))},
           {"/upstreams/0/id: in the discovery document: the id \"x\" is taken by /upstreams/0 of "
            "the configuration",
            document(own(entry("x")))},
           {"line 1, column 1: in the discovery", discovered("<html>")},
           {"/upstreams/0/url: in the discovery document: the host \"evil.com\" is not one of "
            "\"discovery.allowedUpstreamHosts\"",
            discovered(found(R"({"id": "e", "namespace": "e", "url": "http://evil.com"})"))},
           {"/upstreams/0/namespace: in the discovery document: the namespace \"a\" is taken",
            discovered(found(R"({"id": "b", "namespace": "a", "url": "http://b.test"})"))}}) {
    ASSERT_FALSE(refusal.problems.empty()) << what;
    if (what.starts_with("line"))
      EXPECT_NE(lines(refusal)[0].find("line 1, column 1"), std::string::npos) << lines(refusal)[0];
    else
      EXPECT_EQ(lines(refusal)[0].find(what), 0U) << lines(refusal)[0];
  }
  const auto l = document(own(entry("a")));
  ASSERT_EQ(lines(l), list{});
  EXPECT_EQ(ids(l.snapshot), (list{"a", "+x"}));
  EXPECT_EQ(l.snapshot->generation, good->generation + 1);
  EXPECT_EQ(l.snapshot->find("x")->index, good->find("x")->index);
}

TEST_F(a_loader, compares_with_the_operators_part_of_what_runs) {
  begin(own(entry("a")));
  discovered(found(entry("x")));
  EXPECT_EQ(lines(document(own(entry("a"), R"("policy": {}, "tenants": [])"))), list{});
  EXPECT_EQ(lines(document(R"({"upstreams": [)" + entry("a") + "]}")),
            list{"/discovery: the discovery section cannot change without a restart"});
}

TEST_F(a_loader, reads_the_source_again) {
  std::string text = own(entry("b"));
  int read = 0;
  begin(own(entry("a")), [&]() -> result<std::string> {
    ++read;
    if (text.empty()) return problem{"gate.json can not be read: no such file"};
    return {boost::system::in_place_value, text};
  });
  EXPECT_EQ(ids(document({}).snapshot), list{"b"});
  EXPECT_EQ(ids(document(own(entry("c"))).snapshot), list{"c"});
  EXPECT_EQ(read, 1) << "not if there is a text";
  text.clear();
  EXPECT_EQ(lines(document({})), list{"gate.json can not be read: no such file"});
}

TEST_F(a_loader, says_that_there_is_no_source) {
  begin(own(entry("a")));
  const auto l = document({});
  ASSERT_EQ(l.problems.size(), 1U);
  EXPECT_NE(l.problems[0].what.find("given inline and cannot be read again"), std::string::npos);
}

TEST_F(a_loader, expects_discovery_only_where_it_is_configured) {
  begin(R"({"upstreams": [)" + entry("a") + "]}");
  EXPECT_EQ(lines(discovered(found(entry("x")))),
            list{"/discovery: no discovery source is configured"});
}

TEST_F(a_loader, answers_even_if_there_is_a_bug) {
  static std::string logged;
  log::redirect([](std::string_view line) { logged += line; });
  begin(own(entry("a")), []() -> result<std::string> { throw std::runtime_error("out of luck"); });
  auto l = document({});
  EXPECT_NE(lines(l).at(0).find("a bug of the gateway: out of luck"), std::string::npos);
  EXPECT_NE(logged.find("out of luck"), std::string::npos);
  log::redirect(nullptr);
  EXPECT_EQ(lines(document(own(entry("b")))), list{}) << "and goes on";
}

/// Numbers of upstreams are given away again once nobody holds the snapshots that had them.
TEST_F(a_loader, flaps_in_bounded_room) {
  begin(own(entry("a")));
  for (int i = 0; i < 300; ++i) {
    const auto l = i % 2 ? discovered(found("")) : discovered(found(entry("x") + "," + entry("y")));
    ASSERT_EQ(lines(l), list{});
    EXPECT_LE(l.snapshot->slots, 5U);
    answers_.back().snapshot = nullptr;
  }
}

TEST_F(a_loader, reads_no_more_than_a_document_may_have) {
  const std::string huge(limits::document_bytes + 1, ' ');
  begin(own(entry("a")), [&]() -> result<std::string> {
    return {boost::system::in_place_value, huge};
  });
  const list too_large{"the document is larger than 16 MiB"};
  EXPECT_EQ(lines(document(huge)), too_large);
  EXPECT_EQ(lines(document({})), too_large);
  auto just = own(entry("b"));
  just.resize(limits::document_bytes, ' ');
  EXPECT_EQ(lines(document(just)), list{});
}

}  // namespace
}  // namespace gate::reload
