// Each method in each of the four cells of generations, with all that can happen to it, by one
// table (cells/table.hpp): what its client gets is what a server of its own generation would have
// given it.
#include <ostream>
#include <string>
#include <vector>

#include "tests/actors/gateway/stateless/cells/stage.hpp"

namespace gate::cell_table {
namespace {

struct row {
  const mcp::method* method;
  cell of;
  event what;
};

std::string name_of(const row& r) {
  std::string out(r.method->name);
  for (auto& c : out)
    if (c == '/') c = '_';
  const auto word = [](bool sessions) { return sessions ? "session" : "stateless"; };
  return out + "_" + word(r.of.client_sessions) + "_client_" + word(r.of.server_sessions) +
         "_server_" + event_names[static_cast<std::size_t>(r.what)];
}
void PrintTo(const row& r, std::ostream* to) {
  *to << name_of(r);
}

template <class F>
void each_row(F&& f) {
  for (const auto& m : mcp::methods)
    for (const bool client : {true, false})
      for (const bool server : {true, false})
        for (std::size_t e = 0; e < event_names.size(); ++e)
          f(row{&m, {client, server}, static_cast<event>(e)});
}

std::vector<row> played() {
  std::vector<row> out;
  each_row([&](const row& r) {
    if (left_out(*r.method, r.of, r.what).empty()) out.push_back(r);
  });
  return out;
}

/// A client whose generation does not have the method.
class foreign_scene final : public scene {
 public:
  foreign_scene(const mcp::method& m, cell of) : scene(m, of) { set(); }

 private:
  void plain() override {
    const auto before = a.count(method.name);
    const auto r = request(method.name, R"("name":"a__x","uri":"x://1","taskId":"t")");
    if (is.client_sessions) {
      EXPECT_EQ(r->status, 200);
    } else {
      EXPECT_EQ(r->status, 404);
    }
    EXPECT_EQ(at(r->last(), "error", "code"), "-32601");
    EXPECT_EQ(a.count(method.name), before);
  }
};

scene_ptr scene_of(const mcp::method& m, cell of, event what) {
  const int page = what == event::tampering ? 1 : 100;  // of cursors
  if (!mcp::within(m.eras, of.client())) return std::make_unique<foreign_scene>(m, of);
  switch (shape_of(m)) {
    case shape::invocation:
      return invocation(m, of);
    case shape::list:
      return listed(m, of, page);
    case shape::tasks_list:
      return tasks_listed(m, of, page);
    case shape::listening:
      return heard(m, of);
    case shape::level:
      return level(m, of);
    case shape::task:
      return about_a_task(m, of);
    case shape::none:
      break;
  }
  return nullptr;
}

struct cells : ::testing::TestWithParam<row> {};

/// … and the same as a server of the client's own generation, by the same script.
TEST_P(cells, of_the_table) {
  const auto& r = GetParam();
  const auto it = scene_of(*r.method, r.of, r.what);
  ASSERT_TRUE(it);
  it->play(r.what);
  if (HasFailure() || !differs(*r.method, r.of, r.what).empty()) return;
  const auto native = scene_of(*r.method, {r.of.client_sessions, r.of.client_sessions}, r.what);
  native->play(r.what);
  EXPECT_EQ(it->seen(), native->seen());
  if (r.what != event::cancel) {
    EXPECT_FALSE(it->seen().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(of, cells, ::testing::ValuesIn(played()),
                         [](const auto& p) { return name_of(p.param); });

TEST(the_table_of_cells, leaves_out_what_makes_no_sense_and_no_more) {
  std::size_t all = 0, gone = 0;
  each_row([&](const row& r) {
    ++all;
    gone += !left_out(*r.method, r.of, r.what).empty();
  });
  EXPECT_EQ(all, mcp::methods.size() * 4 * event_names.size());
  EXPECT_GT(all - gone, 200U);
  // A method of servers is played in each of the cells of its generation, whatever it is.
  for (const auto& m : mcp::methods)
    for (const bool client : {true, false})
      for (const bool server : {true, false}) {
        const cell of{client, server};
        if (shape_of(m) == shape::none || m.routing == mcp::routing::notice) continue;
        if (m.name == mcp::names::update_task && client) continue;
        EXPECT_EQ(left_out(m, of, event::plain), "") << m.name;
      }
}

}  // namespace
}  // namespace gate::cell_table
