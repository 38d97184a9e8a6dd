#include "protocol/jsonrpc/watched_keys.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "protocol/jsonrpc/message.hpp"

namespace gate::jsonrpc {
namespace {

using likeness = watched::likeness;

std::string escaped(char c) {
  char out[8];
  std::snprintf(out, sizeof out, "\\u%04X", static_cast<unsigned>(c));
  return out;
}
char other_case(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter ? static_cast<char>(c ^ 0x20) : c;
}

/// All that some decoder takes for `name`, and that is not `name`: each letter in the other case,
/// plain and escaped; the two letters beyond ASCII; U+0000 at either end and in the middle.
std::vector<std::string> alike(std::string_view name) {
  std::vector<std::string> out;
  const std::string n(name);
  for (std::size_t i = 0; i < n.size(); ++i) {
    const auto with = [&](std::string_view letter) {
      out.push_back(n.substr(0, i) + std::string(letter) + n.substr(i + 1));
    };
    if (other_case(n[i]) != n[i]) {
      with(std::string(1, other_case(n[i])));
      with(escaped(other_case(n[i])));
    }
    const char c = static_cast<char>(n[i] | 0x20);
    if (c == 'k') with("\xE2\x84\xAA"), with(R"(\u212A)"), with(R"(\u212a)");
    if (c == 's') with("\xC5\xBF"), with(R"(\u017F)"), with(R"(\u017f)");
  }
  std::string all;
  for (const char c : n) all += other_case(c);
  if (all != n) out.push_back(all);
  for (const auto at : {std::size_t{0}, n.size() / 2, n.size()})
    out.push_back(n.substr(0, at) + R"(\u0000)" + n.substr(at));
  return out;
}

/// What nobody takes for it.
std::vector<std::string> others(std::string_view name) {
  const std::string n(name);
  return {n + "x",        "x" + n,        n + " ", n.substr(1), n + n,
          "\xC4\xB0" + n, n + "\xCC\x87", "",      R"(\u)" + n};
}

TEST(watched_keys, of_every_table_in_every_spelling) {
  std::size_t seen = 0;
  const auto check = [&](std::span<const std::string_view> names) {
    for (std::size_t place = 0; place < names.size(); ++place) {
      std::string all;
      for (const char c : names[place]) all += escaped(c);
      for (const auto& same : {std::string(names[place]), all}) {
        EXPECT_EQ(look_up(same, names).how, likeness::same) << same;
        EXPECT_EQ(look_up(same, names).place, place) << same;
      }
      for (const auto& key : alike(names[place])) {
        const auto found = look_up(key, names);
        EXPECT_TRUE(found.how == likeness::alike || found.how == likeness::nul) << key;
        if (found.how == likeness::alike) {
          EXPECT_EQ(found.place, place) << key;
        }
        ++seen;
      }
      for (const auto& key : others(names[place]))
        EXPECT_EQ(look_up(key, names).how, likeness::none) << key;
    }
  };
  check(top_names);
  check(param_names);
  check(ref_names);
  EXPECT_GT(seen, 400U);
}

TEST(watched_keys, of_results_are_found_in_every_spelling) {
  for (std::size_t place = 0; place < result_names.size(); ++place) {
    const std::string name(result_names[place]);
    std::string all;
    for (const char c : name) all += escaped(c);
    EXPECT_EQ(find_same(name, result_names), place);
    EXPECT_EQ(find_same(all, result_names), place) << all;
    EXPECT_EQ(find_same(name.substr(0, 2) + all.substr(12), result_names), place) << name;
    for (const auto& keys : {alike(name), others(name)})
      for (const auto& key : keys)
        EXPECT_EQ(find_same(key, result_names), result_names.size()) << key;
  }
}

/// A request with `"key":value` in the envelope, in params, or in a reference.
std::string with(std::size_t level, std::string_view key, std::string_view value) {
  const auto member = '"' + std::string(key) + "\":" + std::string(value);
  const std::string head = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"x":1)";
  if (level == 0) return head + "}," + member + "}";
  if (level == 1) return head + "," + member + "}}";
  return head + R"(,"ref":{"y":1,)" + member + "}}}";
}

TEST(watched_keys, that_look_like_ours_are_refused_of_clients) {
  const auto check = [&](std::size_t level, std::span<const std::string_view> names) {
    for (const auto name : names)
      for (const auto& key : alike(name))
        for (const auto value : {R"("v")", "{}", "null"}) {
          const auto text = with(level, key, value);
          const auto m = read(text);
          ASSERT_TRUE(m.has_error()) << text;
          EXPECT_EQ(m.error().code, invalid_request) << text;
          EXPECT_EQ(m.error().id, "1") << text;
        }
  };
  check(0, top_names);
  check(1, param_names);
  check(2, ref_names);
  // Also where both members say the same, in either order.
  EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"Name":"a","name":"a"}})"));
  EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":1,"result":{},"Result":{}})"));
}

TEST(watched_keys, are_those_of_their_place_only) {
  for (const auto text :
       {R"({"jsonrpc":"2.0","id":1,"method":"m","Name":1,"URI":2,"Ref":3})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"ID":1,"Method":2,"Type":3}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"Name":1,"n\u0000":2}}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"Name":1}}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"ref":["Name"]}})",
        R"({"jsonrpc":"2.0","id":1,"result":{"Name":1,"_Meta":{}}})"})
    EXPECT_TRUE(read(text).has_value()) << text;
}

TEST(watched_keys, of_servers_are_refused_where_they_mislead) {
  const auto good = [](std::string_view text) {
    return read(text, {}, sender::server).has_value();
  };
  for (const auto text : {
           R"({"jsonrpc":"2.0","method":"m","ID":1})",
           R"({"jsonrpc":"2.0","id":1,"method":"m","Method":"n"})",
           R"({"jsonrpc":"2.0","method":"m","params":{},"Params":{}})",
           R"({"jsonrpc":"2.0","method":"m","i\u0000d":1})",
           R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_Meta":{}}})",
           R"({"jsonrpc":"2.0","method":"m","params":{"uri":"x","URI":"y"}})",
           R"({"jsonrpc":"2.0","method":"m","params":{"Name":"x","name":"y"}})",
           R"({"jsonrpc":"2.0","method":"m","params":{"uri\u0000":"y"}})",
       })
    EXPECT_FALSE(good(text)) << text;
  for (const auto text : {
           R"({"jsonrpc":"2.0","method":"m","params":{"Name":"x","URI":"y"}})",
           R"({"jsonrpc":"2.0","id":1,"result":{},"ID":2,"Result":{},"Error":{}})",
           R"({"jsonrpc":"2.0","id":1,"error":{},"Result":1})",
       })
    EXPECT_TRUE(good(text)) << text;
}

TEST(watched_keys, in_a_reference_are_read_once) {
  const auto m = read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"ref":)"
                      R"({"t\u0079pe":"ref\/prompt","name":"n","uri":7}}})");
  ASSERT_TRUE(m.has_value());
  EXPECT_EQ(m->ref_type, R"("ref\/prompt")");
  EXPECT_EQ(m->ref_name, R"("n")");
  EXPECT_EQ(m->ref_uri, "7");
  for (const auto name : ref_names)
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"ref":{")" +
                      std::string(name) + R"(":1,")" + std::string(name) + R"(":1}}})"));
}

}  // namespace
}  // namespace gate::jsonrpc
