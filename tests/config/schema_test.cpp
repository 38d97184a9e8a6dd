/// The schema and the reader are two visitors of one description. An independent JSON Schema
/// implementation (valijson) is the oracle: whatever is done to a good document, both must agree.
// A false alarm of g++ 12 in std::regex, which valijson uses, when sanitizers are on.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "config/schema.hpp"

#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

constexpr std::string_view committed = "config/gate.config.schema.json";

class oracle {
 public:
  oracle() : text_(bj::parse(schema())) {
    valijson::adapters::BoostJsonAdapter adapter(text_);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, schema_);
  }

  bool accepts(const bj::value& document) const {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::adapters::BoostJsonAdapter adapter(document);
    return validator.validate(schema_, adapter, nullptr);
  }

 private:
  bj::value text_;
  valijson::Schema schema_;
};

bool reader_accepts(const bj::value& document) {
  return parse(bj::serialize(document)).problems.empty();
}

bj::value example(std::string_view name) {
  return bj::parse(read_file(source_path("config/examples/" + std::string(name) + ".json")));
}

TEST(schema, committed_copy_is_fresh) {
  if (updating()) write_file(source_path(committed), schema());
  EXPECT_EQ(read_file(source_path(committed)), schema())
      << "regenerate with: gate --schema > " << committed
      << ", or run this test with GATE_UPDATE_GOLDEN=1";
}

TEST(schema, says_that_it_is_draft_7) {
  auto root = bj::parse(schema());
  EXPECT_EQ(root.at("$schema"), "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(schema().back(), '\n');
  EXPECT_EQ(schema(), schema());
}

TEST(schema, accepts_the_examples) {
  oracle o;
  for (auto name : {"single-upstream", "federation", "full"}) {
    EXPECT_TRUE(o.accepts(example(name))) << name;
  }
}

TEST(schema, refuses_what_the_reader_refuses) {
  oracle o;
  for (std::string text : {
           R"([])",
           R"({"upstreams": [{}]})",
           R"({"upstreams": [{"id": "A"}]})",
           R"({"upstream": []})",
           R"({"upstreams": [{"id": "a", "stdio": {}}]})",
           R"({"upstreams": [{"id": "a", "protocol": "stdio"}]})",
           R"({"upstreams": [{"id": "a", "timeouts": {"connectMs": -1}}]})",
           R"({"upstreams": [{"id": "a", "timeouts": {"connectMs": 1.5}}]})",
           R"({"upstreams": [{"id": "a", "urls": []}]})",
           R"({"upstreams": [{"id": "a", "budget": {"upstreamCalls": 0}}]})",
           R"({"upstreams": [{"id": "a", "auth": {"strategy": "static", "secretRef": "a-b"}}]})",
           R"({"routing": {"namespaceSeparator": "a"}})",
           R"({"discovery": {"url": "https://r", "intervalMs": 999}})",
           R"({"tracing": {"otlpEndpoint": "http://o", "sampleRatio": 2}})",
           R"({"audit": {}})",
       }) {
    auto document = bj::parse(text);
    EXPECT_FALSE(o.accepts(document)) << text;
    EXPECT_FALSE(reader_accepts(document)) << text;
  }
}

/// Calls `f` with every value of `v`, the root included, and a pointer for messages. `f` may change
/// the value but must restore it.
template <class F>
void everywhere(bj::value& v, const std::string& at, const F& f) {
  f(v, at);
  if (auto* object = v.if_object()) {
    for (auto& member : *object) everywhere(member.value(), join_pointer(at, member.key()), f);
  } else if (auto* array = v.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      everywhere((*array)[i], join_pointer(at, std::to_string(i)), f);
    }
  }
}

TEST(schema, agrees_with_the_reader_on_every_mutation_of_the_full_example) {
  oracle o;
  auto document = example("full");
  std::size_t refused = 0;
  auto compare = [&](const std::string& what) {
    bool wanted = reader_accepts(document);
    refused += !wanted;
    EXPECT_EQ(o.accepts(document), wanted) << what;
  };
  const std::vector<bj::value> strangers{nullptr,
                                         true,
                                         0,
                                         1,
                                         -1,
                                         2.5,
                                         999,
                                         3'000'000'000,
                                         "",
                                         "x",
                                         "X y",
                                         "a-b",
                                         "A_B",
                                         "none",
                                         bj::array{},
                                         bj::array{"x"},
                                         bj::array{0},
                                         bj::object{},
                                         bj::object{{"x", "y"}}};
  everywhere(document, "", [&](bj::value& v, const std::string& at) {
    auto original = v;
    for (const auto& stranger : strangers) {
      v = stranger;
      compare(at + " = " + bj::serialize(stranger));
    }
    v = original;
    auto* object = v.if_object();
    if (!object) return;
    std::vector<std::string> keys;
    for (const auto& member : *object) keys.emplace_back(member.key());
    for (const auto& key : keys) {
      object->erase(key);
      compare(at + " without " + key);
      *object = original.get_object();
    }
    object->emplace("unheardOf", 1);
    compare(at + " with an unknown field");
    // In place: the walk goes on inside this object.
    object->erase("unheardOf");
  });
  EXPECT_EQ(document, example("full"));
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace gate::config
