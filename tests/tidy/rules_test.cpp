/// The rules on trees of a few lines: each finds what it is for, and leaves the rest in peace.
#include "tests/tidy/rules.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace gate::tidy {
namespace {

using check = findings (*)(const tree&);

std::string all(const findings& found) {
  std::string out;
  for (const auto& f : found) out += to_string(f) + "\n";
  return out;
}

void expect_one(check c, std::vector<file> files, std::size_t line, std::string_view says) {
  const auto found = c(make_tree(std::move(files)));
  ASSERT_EQ(found.size(), 1U) << says << "\n" << all(found);
  EXPECT_EQ(found[0].line, line) << all(found);
  EXPECT_NE(found[0].what.find(says), std::string::npos) << all(found);
}

void expect_clean(check c, std::vector<file> files) {
  const auto found = c(make_tree(std::move(files)));
  EXPECT_TRUE(found.empty()) << all(found);
}

std::string including(std::string_view what) {
  return "#include " + std::string(what) + "\n";
}

/// Every header that the rows below name, empty.
std::vector<file> rooms_and(const std::string& path, std::string_view include) {
  std::vector<file> files;
  for (auto name : {"protocol/limits.hpp", "config/cli.hpp", "config/parse.hpp",
                    "transport/log.hpp", "transport/lines.hpp", "transport/runtime.hpp",
                    "transport/http/server.hpp", "actors/messages.hpp", "shim/pipe.hpp",
                    "simulations/world/world.hpp", "actors/supervisor/gateway.cpp",
                    "actors/embed/gate/gateway.hpp", "tests/support/actor_test.hpp"})
    if (name != path) files.push_back({name, ""});
  files.push_back({path, including(include)});
  return files;
}

struct row {
  std::string path;
  std::string_view include;
};

TEST(layers, allowed) {
  for (const auto& r : std::vector<row>{
           {"protocol/a.cpp", "<vector>"},
           {"protocol/a.cpp", "<boost/json/value.hpp>"},
           {"protocol/a.cpp", "<openssl/hmac.h>"},
           {"protocol/a.cpp", "<emmintrin.h>"},
           {"config/a.cpp", "\"protocol/limits.hpp\""},
           {"config/a.cpp", "<boost/json.hpp>"},
           {"transport/http/a.cpp", "<boost/asio/write.hpp>"},
           {"transport/http/a.cpp", "<sys/socket.h>"},
           {"transport/http/a.cpp", "<openssl/ssl.h>"},
           {"transport/log/a.hpp", "<spdlog/spdlog.h>"},
           {"actors/ops/a.cpp", "<caf/send.hpp>"},
           {"actors/ops/a.cpp", "\"transport/log.hpp\""},
           {"actors/ops/a.cpp", "\"config/parse.hpp\""},
           {"actors/supervisor/gateway.hpp", "\"transport/lines.hpp\""},
           {"actors/main.cpp", "\"transport/lines.hpp\""},
           {"actors/embed/a.cpp", "\"transport/runtime.hpp\""},
           {"actors/embed/a.cpp", "\"gate/gateway.hpp\""},
           {"actors/embed/gate/gateway.hpp", "<string>"},
           {"simulations/embedding/main.cpp", "<gate/gateway.hpp>"},
           {"shim/a.cpp", "\"transport/http/server.hpp\""},
           {"shim/a.cpp", "\"config/cli.hpp\""},
           {"tests/actors/a.cpp", "\"transport/http/server.hpp\""},
           {"tests/actors/a.cpp", "\"simulations/world/world.hpp\""},
           {"tests/end_to_end/a.mjs", "'../../simulations/peers/gate.mjs'"},
           {"simulations/peers/a.mjs", "'./http.mjs'"},
           {"tests/actors/a.cpp", "<boost/asio/write.hpp>"},
       })
    expect_clean(check_layers, rooms_and(r.path, r.include));
}

TEST(layers, refused) {
  for (const auto& r : std::vector<row>{
           {"protocol/a.cpp", "\"config/parse.hpp\""},
           {"protocol/a.cpp", "<caf/all.hpp>"},
           {"protocol/a.cpp", "<unistd.h>"},
           {"protocol/a.cpp", "<openssl/ssl.h>"},
           {"protocol/a.cpp", "\"simulations/world/world.hpp\""},
           {"config/a.cpp", "\"transport/log.hpp\""},
           {"config/a.cpp", "<openssl/hmac.h>"},
           {"transport/http/a.cpp", "\"config/parse.hpp\""},
           {"transport/http/a.cpp", "\"actors/messages.hpp\""},
           {"transport/log/a.cpp", "<boost/asio/write.hpp>"},
           {"transport/http/a.hpp", "<prometheus/registry.h>"},
           {"actors/ops/a.cpp", "\"transport/http/server.hpp\""},
           {"actors/ops/a.cpp", "\"transport/lines.hpp\""},
           {"actors/embed/gate/gateway.hpp", "\"transport/runtime.hpp\""},
           {"actors/embed/gate/gateway.hpp", "<caf/send.hpp>"},
           {"config/a.cpp", "\"gate/gateway.hpp\""},
           {"actors/embed/a.cpp", "\"gate/no_such.hpp\""},
           {"actors/ops/a.cpp", "\"shim/pipe.hpp\""},
           {"actors/ops/a.cpp", "<boost/beast/http.hpp>"},
           {"actors/ops/a.cpp", "<sys/socket.h>"},
           {"shim/a.cpp", "\"actors/messages.hpp\""},
           {"shim/a.cpp", "\"config/parse.hpp\""},
           {"simulations/world/a.cpp", "\"tests/support/actor_test.hpp\""},
           {"simulations/peers/a.mjs", "'../../tests/end_to_end/support/suite.mjs'"},
           {"tests/a.cpp", "\"actors/supervisor/gateway.cpp\""},
           {"tests/a.cpp", "<actors/messages.hpp>"},
           {"actors/ops/a.cpp", "\"messages.hpp\""},
           {"actors/ops/a.cpp", "\"../messages.hpp\""},
       })
    expect_one(check_layers, rooms_and(r.path, r.include), 1, "includes ");
}

TEST(own_header_first, kept_and_broken) {
  const auto files = [](std::string_view text) {
    return std::vector<file>{
        {"config/b.hpp", ""}, {"config/a.hpp", ""}, {"config/a.cpp", std::string(text)}};
  };
  expect_clean(check_own_header_first, files("#include \"config/a.hpp\"\n\n#include <array>\n"));
  expect_one(check_own_header_first, files("\n#include <array>\n#include \"config/a.hpp\"\n"), 2,
             "config/a.hpp first");
  expect_one(check_own_header_first, files("#include \"config/b.hpp\"\n"), 1, "first");
  expect_clean(
      check_own_header_first,
      {{"transport/log.hpp", ""}, {"transport/log/log.cpp", including("\"transport/log.hpp\"")}});
  expect_one(check_own_header_first,
             {{"transport/log.hpp", ""}, {"transport/log/log.cpp", including("<array>")}}, 1,
             "first");
}

TEST(words, each_is_found_where_it_is_banned) {
  for (std::string word : {"std::chrono::system_clock::now()",
                           "clock::now()",
                           "std::getenv(\"A\")",
                           "std::rand()",
                           "srand(1)",
                           "std::random_device d;",
                           "sleep_for(1s)",
                           "usleep(1)",
                           "sleep(1)",
                           "std::thread t;",
                           "std::mutex m;",
                           "std::condition_variable c;",
                           "std::cout << 1",
                           "printf(\"a\")",
                           "std::this_thread::yield()",
                           "[=] { return 1; }",
                           "catch (...) {",
                           "using namespace std;",
                           "c->from->respond({});",
                           "c.ticket.spend({});",
                           "ticket.hand_over();"}) {
    expect_one(check_words, {{"actors/a.cpp", "void f();\n" + word + "\n"}}, 2, "`");
    expect_clean(check_words,
                 {{"actors/a.cpp", "// " + word + "\nauto a = R\"(" + word + ")\";\n"}});
  }
}

TEST(words, rooms) {
  expect_clean(check_words, {{"transport/a.cpp", "std::mutex m; auto t = system_clock::now();"}});
  expect_clean(check_words, {{"actors/main.cpp", "std::cout << 1;"}});
  expect_clean(check_words,
               {{"actors/a.cpp", "system_clock::time_point t; x.sleep(1); clock().now();"}});
  expect_clean(check_words, {{"tests/a.cpp", "std::mutex m; std::getenv(\"A\");"}});
  expect_clean(check_words, {{"actors/pipeline/stage9_audit.cpp", "c.ticket.spend({});"}});
  expect_clean(check_words, {{"actors/a.cpp", "w->payment.spend(true); responded();"}});
  expect_one(check_words, {{"tests/a.cpp", "std::random_device d;"}}, 1, "seed");
  for (const auto* path : {"tests/transport/a_test.cpp", "tests/actors/embed/a_test.cpp"})
    expect_clean(check_words, {{path, "std::thread t; auto f = std::async(g);"}});
  for (const auto* path : {"tests/actors/a_test.cpp", "tests/shim/support/a.cpp"})
    for (const std::string word : {"std::thread t;", "std::jthread t;", "std::async(g);"})
      expect_one(check_words, {{path, word}}, 1, "ThreadSanitizer");
  expect_one(check_words, {{"transport/a.cpp", "auto f = [=, this] {};"}}, 1, "[ =");
}

TEST(notes, found) {
  const std::string note =
      "TO"
      "DO";
  expect_one(check_notes, {{"actors/a.cpp", "\n// " + note + ": later"}}, 2, note);
  expect_one(check_notes, {{"docs/a.md", note}}, 1, note);
  expect_clean(check_notes, {{"actors/a.cpp",
                              "// MASTO"
                              "DON"}});
}

std::string times(std::size_t n, std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += line;
  return out;
}

TEST(sizes, files) {
  expect_clean(check_file_lengths,
               {{"actors/a.cpp", times(500, "\n")}, {"a.md", times(900, "\n")}});
  expect_one(check_file_lengths, {{"actors/a.cpp", times(501, "\n")}}, 501, "501 lines");
}

TEST(sizes, functions) {
  expect_clean(check_function_lengths, {{"actors/a.cpp", "int f() {\n" + times(68, "\n") + "}\n"}});
  expect_one(check_function_lengths, {{"actors/a.cpp", "\nint f() {\n" + times(69, "\n") + "}\n"}},
             2, "f has 71 lines");
  expect_one(check_function_lengths, {{"actors/a.cpp", "int f() {\n"}}, 0, "braces");
}

TEST(sizes, classes) {
  const auto with = [](std::size_t methods, std::size_t members) {
    std::string out =
        "class box final : public base {\n public:\n  explicit box(int a) : a_(a) {}\n"
        "  box(const box&) = delete;\n  ~box();\n  using list = std::vector<int>;\n"
        "  enum class kind { one, two };\n  struct inner { int a; int b; };\n"
        "  friend class other;\n  box() : a_{f()}, b_{2} {}\n  static constexpr int most = 3;\n\n "
        "private:\n";
    for (std::size_t n = 0; n < methods; ++n)
      out += n % 3 == 0   ? "  int f(std::function<void(int)> g, int x = h());\n"
             : n % 3 == 1 ? "  bool operator==(const box&) const { return a_ == b({1, 2}); }\n"
                          : "  template <class T>\n  void visit(T&& f) { f(); }\n";
    for (std::size_t n = 0; n < members; ++n)
      out += n % 2 == 0 ? "  std::function<void(int)> on_{[](int) {}};  ///< f(x);\n"
                        : "  int a_ = twice(2);\n";
    return out + "};\nenum class other_kind { a };\nclass later;\n";
  };
  expect_clean(check_class_sizes, {{"actors/a.hpp", with(30, 20)}});
  expect_one(check_class_sizes, {{"actors/a.hpp", "\n" + with(31, 20)}}, 2, "box has 31 methods");
  expect_one(check_class_sizes, {{"actors/a.hpp", with(30, 21)}}, 1, "box has 21 members");
  expect_clean(check_class_sizes, {{"tests/a.hpp", with(40, 40)}});
}

TEST(names, of_actors) {
  const auto with = [](const std::string& head) {
    return "\nclass " + head + " {\n  int a() const;\n};\n";
  };
  const std::string plain = "box final : public lid",
                    of_one_unit = " final : public pinned<box_base>",
                    typed = " final : private doors,\n    public box_handle::base";
  expect_clean(check_actor_names, {{"actors/a/box.hpp", with(plain)}});
  expect_clean(check_actor_names, {{"actors/a/box_actor.hpp", with("box_actor" + of_one_unit)}});
  expect_clean(check_actor_names, {{"shim/box_actor.hpp", with("box_actor" + typed)}});
  expect_one(check_actor_names, {{"actors/a/box.hpp", with("box" + of_one_unit)}}, 2,
             "name it box_actor");
  expect_one(check_actor_names, {{"actors/a/box.hpp", with("box_actor" + typed)}}, 2,
             "its file is box_actor.hpp");
  expect_clean(check_actor_names, {{"tests/a.hpp", with("box" + typed)}});
}

TEST(folders, of_actors_know_those_before_them) {
  const auto found = [](const std::string& path, const std::string& included) {
    return check_folders(make_tree({{path, including('"' + included + '"')}, {included, ""}}))
        .size();
  };
  EXPECT_EQ(found("actors/router/a.cpp", "actors/pipeline/call.hpp"), 0U);
  EXPECT_EQ(found("actors/router/a.cpp", "actors/router/b.hpp"), 0U);
  EXPECT_EQ(found("actors/messages.hpp", "actors/who/caller.hpp"), 0U);
  EXPECT_EQ(found("actors/router/a.cpp", "protocol/limits.hpp"), 0U);
  EXPECT_EQ(found("actors/pipeline/a.cpp", "actors/router/b.hpp"), 1U);
  EXPECT_EQ(found("actors/tasks/a.cpp", "actors/identity/b.hpp"), 1U) << "side by side";
  EXPECT_EQ(found("actors/messages.hpp", "actors/guards/b.hpp"), 1U);
  EXPECT_EQ(found("actors/novel/a.cpp", "actors/messages.hpp"), 1U) << "it has no place";
}

TEST(sizes, lines) {
  const auto wide = times(101, "a") + "\n";
  expect_clean(check_line_lengths, {{"actors/a.cpp", times(100, "a") + "\n"}, {"a.md", wide}});
  expect_clean(check_line_lengths, {{"actors/a.cpp", "// https://" + wide}});
  expect_clean(check_line_lengths,
               {{"actors/a.cpp", "  // clang-format off\n" + wide + "  // clang-format on\n"}});
  expect_one(check_line_lengths,
             {{"actors/a.cpp", "  // clang-format off\n  // clang-format on\n" + wide}}, 3, "101");
}

TEST(header_prose, kept_and_broken) {
  expect_clean(check_header_prose, {{"actors/a.hpp", "#pragma once\n/// What it is.\n"}});
  expect_one(check_header_prose, {{"actors/a.hpp", "/// What it is.\n#pragma once\n"}}, 1,
             "pragma");
  expect_one(check_header_prose, {{"actors/a.hpp", "#pragma once\n#include <array>\n"}}, 2, "say");
  expect_one(check_header_prose, {{"actors/a.hpp", ""}}, 1, "pragma");
}

TEST(file_names, snake_case) {
  expect_clean(check_file_names, {{"actors/stage1_host.cpp", ""}, {"docs/life-of-a-call.md", ""}});
  expect_one(check_file_names, {{"actors/StageOne.cpp", ""}}, 0, "snake");
  expect_one(check_file_names, {{"tests/my-test.mjs", ""}}, 0, "snake");
}

TEST(tested, by_path_or_by_name) {
  const file source{"actors/upstream/session.hpp", ""};
  expect_one(check_tested, {source}, 0, "no test");
  expect_clean(check_tested,
               {source, {"tests/actors/a_test.cpp", including("\"actors/upstream/session.hpp\"")}});
  expect_clean(check_tested, {source, {"tests/actors/session_test.cpp", ""}});
  expect_one(check_tested, {source, {"tests/config/session_test.cpp", ""}}, 0, "no test");
  expect_one(check_tested, {source, {"tests/actors/a_test.cpp", "session"}}, 0, "no test");
  expect_one(check_tested, {source, {"tests/actors/a_test.cpp", "actors/upstream/sessions"}}, 0,
             "no");
  const file shell{"actors/upstream/session.cpp", ""};
  expect_clean(check_tested, {source, shell, {"tests/actors/session_test.cpp", ""}});
  expect_clean(check_tested,
               {{"actors/stage1_host.cpp", ""}, {"tests/a.cpp", "// stage1_host.cpp\n"}});
}

TEST(stages, one_file_each_in_order) {
  const file order{"actors/pipeline/order.hpp",
                   "{{\n {stage::host, \"x\"},\n {stage::route, \"y\"},\n}};"};
  const file host{"actors/pipeline/stage1_host.cpp", ""};
  const file route{"actors/pipeline/stage2_route.cpp", ""};
  expect_clean(check_stages, {order, host, route, {"actors/pipeline/stage2_route.hpp", ""}});
  expect_one(check_stages, {order, host}, 0, "stage2_route");
  expect_one(check_stages, {order, host, route, {"actors/pipeline/stage3_more.cpp", ""}}, 0,
             "no stage");
  expect_one(check_stages, {host}, 0, "missing");
  expect_one(check_stages, {{"actors/pipeline/order.hpp", ""}}, 0, "no rows");
}

TEST(packages, sorted_one_a_line) {
  expect_clean(check_packages, {{".ci/packages", "# what for\na\nb-c\nb1\n"}});
  expect_one(check_packages, {{".ci/packages", "b\na\n"}}, 2, "sort");
  expect_one(check_packages, {{".ci/packages", "a\na\n"}}, 2, "sort");
  expect_one(check_packages, {{".ci/packages", "a b\n"}}, 1, "one a line");
}

TEST(links, kept) {
  expect_clean(check_links,
               {{"docs/a.md",
                 "# The *first* `heading`, twice\n[x](#the-first-heading-twice)\n"
                 "# The first heading, twice\n[x](#the-first-heading-twice-1)\n"
                 "[x](../README.md) [y](b.md#b) [z](https://a/b) ![i](i.png) [d](../docs)\n"
                 "`[x](no.md)`\n```\n[x](no.md)\n```\n<a id=\"own\"></a> [x](#own)\n"
                 "[r]: b.md \"title\"\n"},
                {"docs/b.md", "## B\n"},
                {"docs/i.png", ""},
                {"README.md", ""}});
}

TEST(links, broken) {
  for (std::string link : {"[x](no.md)", "[x](b.md#no)", "[x](#no)", "[x](/docs/b.md)",
                           "![x](no.png)", "[x]: no.md", "<img src=\"no.png\">", "[x](../b.md)"})
    expect_one(check_links, {{"docs/a.md", "\n" + link + "\n"}, {"docs/b.md", "# B\n"}}, 2, "link");
}

TEST(named_files, kept) {
  expect_clean(
      check_named_files,
      {{"docs/a.md",
        "`actors/router/a.cpp` `actors/router/` `router/a.cpp` `actors/*/a.*` `docs/a.md`\n"
        "`node tests/x.mjs build/dev/bin/gate` `x/y` `/health` `tools/call` `a.cpp`\n"
        "`https://a/b.json` `~/.a/b.json` `.a/b.json` `{a}/b.json` <actors/no.cpp>\n"
        "actors/no.cpp `a` actors/no.cpp `b`\n```\n`actors/no.cpp`\n```\n"},
       {"docs/decisions/0001-a.md", "`no.cpp`"},
       {"actors/router/a.cpp", "// `actors/no.cpp`\n"},
       {"tests/x.mjs", ""}});
}

TEST(named_files, missing) {
  for (std::string word :
       {"actors/no.cpp", "actors/no/", "actors/no", "router/no.cpp", "no/a.cpp", "outer/a.cpp",
        "actors/a.cpp", "actors/*.cpp", "actors/router/*.hpp", "router/a.cpp/b.md", "no.cpp"})
    expect_one(
        check_named_files,
        {{"docs/a.md", "\nsee `x` and `run " + word + " now`\n"}, {"actors/router/a.cpp", ""}}, 2,
        word);
}

TEST(machine_paths, found) {
  for (std::string path : {"/ho"
                           "me/me/gate",
                           "/ro"
                           "ot/x",
                           "/wo"
                           "rk/main",
                           "../sha"
                           "red/a"})
    expect_one(check_machine_paths, {{"scripts/run", "\ncd " + path + "\n"}}, 2, "machine");
  expect_one(check_machine_paths, {{"a.md", "see /tmp/x"}}, 1, "machine");
  expect_clean(check_machine_paths, {{"scripts/run", "ls /tmp/x"},
                                     {"a.md",
                                      "https://a.b/wo"
                                      "rk/x"}});
}

TEST(exempt, drops_what_it_names_and_nothing_else) {
  const auto list =
      read_exemptions("# why\n\nwords a.cpp:rand it has a reason\nwords b.cpp\nlinks c.md r\n");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].reason, "it has a reason");
  const findings found{
      {"a.cpp", 1, "a.cpp:rand", "x"}, {"b.cpp", 2, "b.cpp", "y"}, {"d.cpp", 3, "d.cpp", "z"}};
  const auto left = without_exempt(found, "words", list);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(to_string(left[0]), "d.cpp:3: z");
  EXPECT_NE(left[1].what.find("without a reason"), std::string::npos);
  const auto unneeded = without_exempt({}, "links", list);
  ASSERT_EQ(unneeded.size(), 1U);
  EXPECT_EQ(unneeded[0].line, 5U);
}

TEST(exempt, names_what_exists) {
  const auto t = make_tree({{"actors/a.hpp", ""}, {"tests/actors/a_test.cpp", ""}});
  const auto told = [&](std::string_view text) {
    return all(check_exemptions(t, read_exemptions(text)));
  };
  for (const auto* good :
       {"tested actors/a.hpp tests/actors/a_test.cpp: what it does\n",
        "tested actors/a.hpp every test of tests/actors", "tested actors/a.hpp plain data",
        "tested actors/a.hpp declarations without behaviour",
        "words actors/a.hpp:rand it has a reason"})
    EXPECT_EQ(told(good), "") << good;
  for (const auto& [bad, says] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"tested actors/b.hpp tests/actors/a_test.cpp", "no actors/b.hpp"},
           {"class_sizes actors/b.hpp:b it is large", "no actors/b.hpp"},
           {"tested actors/a.hpp tests/actors/a_test.cpp, tests/actors/b_test.cpp.",
            "no tests/actors/b_test.cpp"},
           {"tested actors/a.hpp tests/actors/a_test.cpp and a_test", "no a_test"},
           {"tested actors/a.hpp everybody uses it", "names no test"},
           {"tested actors/a.hpp see actors/a.hpp", "names no test"}}) {
    EXPECT_NE(told(bad).find(says), std::string::npos) << bad << ": " << told(bad);
    EXPECT_TRUE(told(bad).starts_with("tests/tidy/exempt.txt:1: ")) << told(bad);
  }
}

}  // namespace
}  // namespace gate::tidy
