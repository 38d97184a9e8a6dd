#pragma once
/// Services as an API server writes them.
#include <map>
#include <string>
#include <string_view>

#include "protocol/json/scan.hpp"
#include "protocol/kubernetes/service.hpp"

namespace gate::kubernetes {

struct drawn_service {
  std::string name = "notes";
  std::string space = "tools";
  std::string created = "2026-01-01T00:00:00Z";
  std::string version = "7";
  std::map<std::string, std::string> annotations{{"gate.mcp/enabled", "true"}};
  std::string spec = R"({"type":"ClusterIP","ports":[{"port":8080}]})";

  drawn_service with(const std::string& key, const std::string& value) const {
    auto out = *this;
    out.annotations["gate.mcp/" + key] = value;
    return out;
  }
  std::string json() const {
    std::string out = R"({"kind":"Service","metadata":{"name":)" + json::quoted(name) +
                      R"(,"namespace":)" + json::quoted(space) + R"(,"uid":"u","annotations":{)" +
                      R"("other.example/a":"gate.mcp/enabled")";
    for (const auto& [key, value] : annotations)
      out += ',' + json::quoted(key) + ':' + json::quoted(value);
    return out + R"(},"creationTimestamp":)" + json::quoted(created) + R"(,"resourceVersion":)" +
           json::quoted(version) + R"(,"managedFields":[{"fieldsV1":{"f:spec":{}}}]},"spec":)" +
           spec + R"(,"status":{"loadBalancer":{}}})";
  }
  service read() const { return read_service(json()).value(); }
};

inline std::string page_of(std::string_view items, std::string_view next = {},
                           std::string_view version = "100") {
  return R"({"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":)" +
         json::quoted(version) + (next.empty() ? "" : R"(,"continue":)" + json::quoted(next)) +
         R"(},"items":[)" + std::string(items) + "]}";
}
inline std::string event_of(std::string_view type, std::string_view object) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + std::string(object) + "}\n";
}
inline std::string reached(std::string_view version) {
  return event_of("BOOKMARK", R"({"kind":"Service","metadata":{"resourceVersion":")" +
                                  std::string(version) + R"("},"spec":{}})");
}
inline std::string status_of(int code, std::string_view reason) {
  return R"({"kind":"Status","status":"Failure","message":"told","reason":")" +
         std::string(reason) + R"(","code":)" + std::to_string(code) + '}';
}

}  // namespace gate::kubernetes
