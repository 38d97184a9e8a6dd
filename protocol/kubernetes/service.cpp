#include "protocol/kubernetes/service.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::kubernetes {
namespace {

/// Our annotations beside labels: a dozen are known.
constexpr std::size_t most_annotations = limits::cluster_labels + 32;

std::string string_in(std::string_view raw) {
  std::string out;
  if (raw.empty() || !json::unquote(raw, out)) return {};
  return out;
}

std::uint16_t port_in(std::string_view raw) {
  std::uint16_t out = 0;
  const auto [end, ec] = std::from_chars(raw.data(), raw.data() + raw.size(), out);
  return ec == std::errc{} && end == raw.data() + raw.size() ? out : std::uint16_t{0};
}

template <class F>
void each_member(std::string_view raw, F&& f) {
  if (raw.empty() || raw.front() != '{') return;
  json::cursor c(raw, {json::deepest, false});
  json::members(c, [&](std::string_view key, json::cursor& at) { f(key, at.value(1)); });
}

template <class F>
void each_element(std::string_view raw, F&& f) {
  if (raw.empty() || raw.front() != '[') return;
  json::cursor c(raw, {json::deepest, false});
  json::elements(c, [&](json::cursor& at) { f(at.value(1)); });
}

void read_annotations(std::string_view raw, service& out) {
  each_member(raw, [&](std::string_view raw_key, std::string_view value) {
    const auto key = string_in('"' + std::string(raw_key) + '"');
    if (!key.starts_with(annotation_prefix)) return;
    if (out.annotations.size() == most_annotations) {
      out.too_much = true;
      return;
    }
    auto text = string_in(value);
    if (text.size() > limits::cluster_annotation_bytes) {
      out.too_much = true;
      text.resize(limits::cluster_annotation_bytes);
    }
    out.annotations.emplace(key.substr(annotation_prefix.size()), std::move(text));
  });
}

void read_ports(std::string_view raw, service& out) {
  static constexpr std::array<std::string_view, 4> names{"name", "port", "protocol", "targetPort"};
  each_element(raw, [&](std::string_view one) {
    const auto [name, number, protocol, target] = json::pick(one, names);
    service_port port{string_in(name), port_in(number)};
    if (!protocol.empty()) port.protocol = string_in(protocol);
    port.target = target.empty() ? port.number : port_in(target);
    out.ports.push_back(std::move(port));
  });
}

}  // namespace

bool is_dns_label(std::string_view text) noexcept {
  constexpr std::size_t most = 63;
  return !text.empty() && text.size() <= most && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

bool service::wanted() const {
  const auto it = annotations.find("enabled");
  return it != annotations.end() && it->second != "false";
}

result<service> read_service(std::string_view raw) {
  static constexpr std::array<std::string_view, 2> parts{"metadata", "spec"};
  static constexpr std::array<std::string_view, 5> of_metadata{
      "name", "namespace", "creationTimestamp", "resourceVersion", "annotations"};
  static constexpr std::array<std::string_view, 3> of_spec{"type", "ports", "clusterIP"};
  const auto [metadata, spec] = json::pick(raw, parts);
  const auto [name, space, created, version, annotations] = json::pick(metadata, of_metadata);
  service out;
  out.name = string_in(name);
  out.space = string_in(space);
  if (out.name.empty() || out.space.empty())
    return problem{"an object has no metadata.name or metadata.namespace, so it is no Service"};
  out.created = string_in(created);
  out.version = string_in(version);
  read_annotations(annotations, out);
  // Of all others nothing is kept.
  if (!out.wanted()) return out;
  const auto [type, ports, address] = json::pick(spec, of_spec);
  out.type = type.empty() ? "ClusterIP" : string_in(type);
  out.headless = string_in(address) == "None";
  read_ports(ports, out);
  return out;
}

}  // namespace gate::kubernetes
