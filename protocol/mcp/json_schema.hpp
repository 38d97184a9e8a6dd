#pragma once
/// Where schemas stand within a JSON Schema (2020-12 §10, and the keywords of earlier drafts that
/// readers still take): what is no schema, such as `const` or `examples`, is data, and keywords in
/// it mean nothing. One pass; schemas nested deeper than `limits::schema_depth` are not entered.
/// Pure.
#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp {

/// What a keyword's value holds.
enum class subschemas : std::uint8_t {
  none,     ///< it is a value
  one,      ///< it is a schema
  many,     ///< an array of schemas
  by_name,  ///< an object whose members are schemas
};

struct schema_keyword {
  std::string_view name;
  subschemas of_object;  ///< what it holds if its value is an object
  subschemas of_array;   ///< … an array
};

inline constexpr std::array schema_keywords{
    // clang-format off
    schema_keyword{"properties",            subschemas::by_name, subschemas::none},
    schema_keyword{"patternProperties",     subschemas::by_name, subschemas::none},
    schema_keyword{"$defs",                 subschemas::by_name, subschemas::none},
    schema_keyword{"definitions",           subschemas::by_name, subschemas::none},
    schema_keyword{"dependentSchemas",      subschemas::by_name, subschemas::none},
    schema_keyword{"dependencies",          subschemas::by_name, subschemas::none},
    schema_keyword{"items",                 subschemas::one,     subschemas::many},
    schema_keyword{"prefixItems",           subschemas::none,    subschemas::many},
    schema_keyword{"additionalItems",       subschemas::one,     subschemas::none},
    schema_keyword{"unevaluatedItems",      subschemas::one,     subschemas::none},
    schema_keyword{"contains",              subschemas::one,     subschemas::none},
    schema_keyword{"additionalProperties",  subschemas::one,     subschemas::none},
    schema_keyword{"unevaluatedProperties", subschemas::one,     subschemas::none},
    schema_keyword{"propertyNames",         subschemas::one,     subschemas::none},
    schema_keyword{"contentSchema",         subschemas::one,     subschemas::none},
    schema_keyword{"allOf",                 subschemas::none,    subschemas::many},
    schema_keyword{"anyOf",                 subschemas::none,    subschemas::many},
    schema_keyword{"oneOf",                 subschemas::none,    subschemas::many},
    schema_keyword{"not",                   subschemas::one,     subschemas::none},
    schema_keyword{"if",                    subschemas::one,     subschemas::none},
    schema_keyword{"then",                  subschemas::one,     subschemas::none},
    schema_keyword{"else",                  subschemas::one,     subschemas::none},
    // clang-format on
};

/// What the value of this keyword (raw) holds; `first`: the byte that the value begins with.
inline subschemas subschemas_of(std::string_view raw_keyword, char first) {
  if (first != '{' && first != '[') return subschemas::none;
  for (const auto& k : schema_keywords)
    if (json::same_key(raw_keyword, k.name)) return first == '{' ? k.of_object : k.of_array;
  return subschemas::none;
}

/// Walks the schema at `c`, which it consumes. `v` is told, in the order of the text:
///
///   enter(), leave()         an object that is a schema begins, ends
///   keyword(key, c)          of a schema: its value is data, and `c` stands at it; consumes it
///   down(keyword, name)      the next schema stands under this keyword; `name` (raw) is empty, but
///   up()                     among those that have one; and the end of that
///   unseen(raw)              a schema that is a boolean, or no schema, or too deep
template <class V>
void walk_schema(json::cursor& c, V& v, std::uint32_t depth = 0) {
  if (c.peek() != '{' || depth >= limits::schema_depth) return v.unseen(c.value());
  const auto go_down = [&](std::string_view keyword, std::string_view name, json::cursor& at) {
    v.down(keyword, name);
    walk_schema(at, v, depth + 1);
    v.up();
  };
  v.enter();
  json::members(c, [&](std::string_view key, json::cursor& at) {
    switch (subschemas_of(key, at.peek())) {
      case subschemas::none:
        return v.keyword(key, at);
      case subschemas::one:
        return go_down(key, {}, at);
      case subschemas::many:
        return json::elements(at, [&](json::cursor& each) { go_down(key, {}, each); });
      case subschemas::by_name:
        return json::members(at, [&](std::string_view name, json::cursor& each) {
          each.peek();
          go_down(key, name, each);
        });
    }
  });
  v.leave();
}

}  // namespace gate::mcp
