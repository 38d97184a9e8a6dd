/// What stands apart from what, in actors/upstream: a session's core from its actor, and what any
/// generation of the protocol needs from the generation that has sessions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "simulations/peers/source_path.hpp"

namespace gate::upstream::testing {
namespace {

using names = std::set<std::string>;

std::string text_of(const std::string& path) {
  std::ifstream in(gate::source_path(path));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The headers of actors/upstream that it includes, and all that these include.
void add_includes(const std::string& path, names& seen) {
  static const std::string begin = "#include \"actors/upstream/";
  const auto text = text_of(path);
  ASSERT_FALSE(text.empty()) << path;
  for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const auto from = at + begin.size();
    const auto stem = text.substr(from, text.find(".hpp", from) - from);
    if (seen.insert(stem).second) add_includes("actors/upstream/" + stem + ".hpp", seen);
  }
}

names with_includes(const std::string& stem) {
  names out;
  for (const auto* end : {".hpp", ".cpp"}) {
    const auto path = "actors/upstream/" + stem + end;
    if (std::filesystem::exists(gate::source_path(path))) add_includes(path, out);
  }
  out.insert(stem);
  return out;
}

/// Actors, and what is handed from actor to actor.
const names actors{"context", "credentials", "lent_lease", "session_actor", "upstream"};
/// Of the generation of the protocol that has sessions: initialize, session ids, the GET stream.
const names of_sessions{"approach",        "arrivals",     "client_messages", "conversation",
                        "greeting",        "lifecycle",    "own_stream",      "sender",
                        "server_messages", "session",      "session_carrier", "session_rules",
                        "session_state",   "stream_keeper"};

names common(const names& a, const names& b) {
  names out;
  std::ranges::set_intersection(a, b, std::inserter(out, out.end()));
  return out;
}

TEST(the_core_of_a_session, includes_no_actor) {
  const auto all = with_includes("session");
  EXPECT_TRUE(all.contains("work_desk")) << "this test reads nothing";
  EXPECT_EQ(common(all, actors), names{});
}

TEST(the_core_of_a_session, does_not_speak_caf) {
  auto all = with_includes("session");
  for (const auto& stem : of_sessions) all.merge(with_includes(stem));
  for (const auto& stem : all)
    for (const auto* end : {".hpp", ".cpp"}) {
      const auto text = text_of("actors/upstream/" + stem + end);
      EXPECT_EQ(text.find("caf::"), text.npos) << stem << end;
      EXPECT_EQ(text.find("<caf/"), text.npos) << stem << end;
    }
}

TEST(what_any_generation_needs, includes_nothing_of_the_one_with_sessions) {
  for (const auto* stem :
       {"work_desk", "work_desk_ends", "tenancy", "carrier", "session_basics", "work_table",
        "credential_slot", "endpoint_choice", "complaints", "alarm", "payment"})
    EXPECT_EQ(common(with_includes(stem), of_sessions), names{}) << stem;
}

}  // namespace
}  // namespace gate::upstream::testing
