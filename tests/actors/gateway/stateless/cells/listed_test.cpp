// What happens to lists in each cell: those that are kept, and that of tasks.
#include "tests/actors/gateway/stateless/cells/stage.hpp"

namespace gate::cell_table {
namespace {

/// Further pages, and a server beside the one that things happen to.
class list_scene final : public scene {
 public:
  list_scene(const mcp::method& m, cell of, int page) : scene(m, of, false, page) {
    auto& b = w.upstream("b");
    b.tools = {R"({"name":"y"})"};
    b.prompts = {R"({"name":"y"})"};
    b.resources = {R"({"uri":"y://1","name":"n"})"};
    b.templates = {R"({"uriTemplate":"y://{a}","name":"n"})"};
    a.page_size = 1;
    auto& items = list_of(a);
    auto more = items[0];
    more.insert(1, R"("m":1.0,)");
    const auto last = more.find(kind() == mcp::list_kind::tools     ? "\"x\""
                                : kind() == mcp::list_kind::prompts ? "\"p\""
                                                                    : "x:");
    more.insert(last + 1, "z");
    items.push_back(more);
    set();
  }

 private:
  mcp::list_kind kind() const { return method.list; }
  std::vector<std::string>& list_of(fake_upstream& u) const {
    switch (kind()) {
      case mcp::list_kind::tools:
        return u.tools;
      case mcp::list_kind::prompts:
        return u.prompts;
      case mcp::list_kind::resources:
        return u.resources;
      default:
        return u.templates;
    }
  }
  std::string items(const receipt_ptr& r) const {
    return at(r->last(), "result", mcp::shape(kind()).member);
  }
  /// All of both, in the order of the configuration.
  void expect_whole(const receipt_ptr& r) const {
    const auto all = items(r);
    const auto first = all.find(R"("m":1.0,)"), second = all.find('y');
    EXPECT_NE(first, all.npos) << r->last();
    EXPECT_LT(first, second);
    EXPECT_NE(second, all.npos) << r->last();
    EXPECT_EQ(at(r->last(), "result", "_meta", "gate/partialFailure"), "");
    expect_words(r);
  }
  /// … without what things happen to.
  void expect_rest(const receipt_ptr& r) const {
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(items(r).find("1.0"), std::string::npos) << r->last();
    EXPECT_NE(items(r).find('y'), std::string::npos);
    EXPECT_EQ(at(r->last(), "result", "_meta", "gate/partialFailure", "failedUpstreams"),
              R"(["a"])");
    expect_words(r);
  }
  /// Those of its generation.
  void expect_words(const receipt_ptr& r) const {
    EXPECT_EQ(at(r->last(), "result", "resultType"), code("", R"("complete")"));
    EXPECT_EQ(at(r->last(), "result", "ttlMs").empty(), is.client_sessions);
    EXPECT_EQ(at(r->last(), "result", "cacheScope"), code("", R"("private")"));
  }

  void plain() override {
    expect_whole(request(method.name));
    EXPECT_EQ(a.count(method.name), 2U) << "it has two pages";
    expect_whole(request(method.name));
    EXPECT_EQ(a.count(method.name), 2U) << "it is kept";
  }
  /// What is fetched is everybody's, and goes on.
  void cancel() override {
    a.next(std::string(method.name), reply::silence());
    const auto r = request(method.name);
    const auto fetched = a.last(method.name);
    give_up(r);
    EXPECT_FALSE(fetched->abandoned);
    EXPECT_EQ(w.audit(method.name).size(), 1U);
    const auto next = request(method.name);
    EXPECT_EQ(a.count(method.name), 1U) << "whoever asks now waits for the same";
    w.advance(11s);
    expect_rest(next);
  }
  void error() override {
    a.next(std::string(method.name), reply::error(R"({"code":4711,"message":"m"})"));
    expect_rest(request(method.name));
  }
  void lost() override {
    a.next(std::string(method.name), reply::silence());
    const auto r = request(method.name);
    fake_upstream::answer(a.last(method.name), reply::failure(fetch_end::broken));
    w.settle();
    expect_rest(r);
  }
  /// A cursor is the gateway's own in each cell.
  void tampering() override {
    const auto first = request(method.name);
    auto cursor = at(first->last(), "result", "nextCursor");
    ASSERT_GT(cursor.size(), 4U) << first->last();
    EXPECT_NE(items(request(method.name, R"("cursor":)" + cursor)).find("1.0"), std::string::npos);
    cursor[3] = cursor[3] == 'A' ? 'B' : 'A';
    const auto r = request(method.name, R"("cursor":)" + cursor);
    EXPECT_EQ(at(r->last(), "error", "code"), "-32602") << r->last();
    EXPECT_EQ(r->status, 200);
  }
  void restart() override {
    expect_whole(request(method.name));
    server_restarts();
    w.advance(20min);  // beyond what is kept
    expect_whole(request(method.name));
    w.settle();
    expect_whole(request(method.name));
    EXPECT_GE(a.count(method.name), 4U);
  }
};

class task_list_scene final : public scene {
 public:
  task_list_scene(const mcp::method& m, cell of, int page) : scene(m, of, true, page) {
    a.tasks = {R"({"taskId":"t1","status":"working","n":1e0})",
               R"({"taskId":"t2","status":"completed"})"};
    set();
  }

 private:
  std::string all() const { return "[" + a.tasks[0] + "," + a.tasks[1] + "]"; }
  std::string tasks(const receipt_ptr& r) const { return at(r->last(), "result", "tasks"); }

  void plain() override {
    EXPECT_EQ(tasks(request(method.name)), is.server_sessions ? all() : "[]");
    EXPECT_EQ(a.count(method.name), is.server_sessions ? 1U : 0U);
  }
  /// It is fetched for this request alone, and ends with it.
  void cancel() override {
    a.next(std::string(method.name), reply::silence());
    const auto r = request(method.name);
    const auto fetched = a.last(method.name);
    give_up(r);
    EXPECT_TRUE(fetched->abandoned);
    EXPECT_EQ(a.count("notifications/cancelled"), 1U);
    EXPECT_EQ(w.audit(method.name).size(), 1U);
    EXPECT_EQ(tasks(request(method.name)), all()) << "the next one is asked as ever";
  }
  void expect_none(const receipt_ptr& r) const {
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(tasks(r), "[]") << r->last();
    EXPECT_EQ(at(r->last(), "result", "_meta", "gate/partialFailure", "failedUpstreams"),
              R"(["a"])");
  }
  void error() override {
    a.next(std::string(method.name), reply::error(R"({"code":4711,"message":"m"})"));
    expect_none(request(method.name));
  }
  void lost() override {
    a.next(std::string(method.name), reply::silence());
    const auto r = request(method.name);
    fake_upstream::answer(a.last(method.name), reply::failure(fetch_end::broken));
    w.settle();
    expect_none(r);
  }
  void tampering() override {
    const auto first = request(method.name);
    auto cursor = at(first->last(), "result", "nextCursor");
    ASSERT_GT(cursor.size(), 4U) << first->last();
    EXPECT_EQ(tasks(request(method.name, R"("cursor":)" + cursor)), "[" + a.tasks[1] + "]");
    cursor[3] = cursor[3] == 'A' ? 'B' : 'A';
    EXPECT_EQ(at(request(method.name, R"("cursor":)" + cursor)->last(), "error", "code"), "-32602");
  }
  void restart() override {
    EXPECT_EQ(tasks(request(method.name)), all());
    server_restarts();
    EXPECT_EQ(tasks(request(method.name)), all());
  }
};

}  // namespace

scene_ptr listed(const mcp::method& m, cell of, int page) {
  return std::make_unique<list_scene>(m, of, page);
}
scene_ptr tasks_listed(const mcp::method& m, cell of, int page) {
  return std::make_unique<task_list_scene>(m, of, page);
}

}  // namespace gate::cell_table
