#include "protocol/mcp/list_rest.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp {
namespace {

/// Ids of upstreams, and the paths that gateways make of them: nothing else is repeated.
bool is_path_of_ids(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '/';
  };
  return !name.empty() && name.size() <= limits::nested_failure_bytes &&
         std::ranges::all_of(name, fits);
}

std::vector<std::string> failed_upstreams(std::string_view meta) {
  std::vector<std::string> out;
  const auto names = json::member(json::member(meta, "gate/partialFailure"), "failedUpstreams");
  if (!names.starts_with('[')) return out;
  json::cursor c(names, {limits::upstream_json_depth, false});
  json::elements(c, [&](json::cursor& at) {
    std::string name;
    if (out.size() < limits::nested_failures && json::unquote(at.value(4), name) &&
        is_path_of_ids(name))
      out.push_back(std::move(name));
    else if (out.size() >= limits::nested_failures)
      at.fail(json::fault::stopped);
  });
  return out;
}

void append(std::string& to, std::string_view raw_key, std::string_view value) {
  if (to.size() + raw_key.size() + value.size() + 4 > limits::list_rest_bytes) return;
  to.append(",\"").append(raw_key).append("\":").append(value);
}

}  // namespace

void rest_reader::member(std::string_view raw_key, std::string_view value) {
  using likeness = jsonrpc::watched::likeness;
  const std::array<std::string_view, 6> ours{"_meta",      "ttlMs",      "cacheScope",
                                             "resultType", "nextCursor", list_};
  const auto found = jsonrpc::look_up(raw_key, ours);
  if (found.how == likeness::same) note(found.place, value);
  const bool meta = found.how == likeness::same && found.place == 0;
  if (meta && ++metas_ > 1) return;
  if (meta) meta_ = value;
  if (!whole_ || (!meta && found.how != likeness::none)) return;
  const auto before = out_.members.size();
  append(out_.members, raw_key, value);
  if (meta) kept_ = {before, out_.members.size() - before};
}

/// What it says of caching. (Negative, or no number: it does not hold at all. Twice: the lesser.)
void rest_reader::note(std::size_t which, std::string_view value) {
  auto& said = out_.caching;
  if (which == 1) {
    std::uint64_t ms = 0;
    const auto* end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, ms);
    if (read.ec != std::errc{} || read.ptr != end) ms = 0;
    constexpr std::chrono::milliseconds most = limits::list_ttl;
    const std::chrono::milliseconds ttl(std::min<std::uint64_t>(ms, most.count()));
    said.ttl = std::min(said.ttl.value_or(ttl), ttl);
  } else if (which == 2) {
    said.everybodys = (++scopes_ == 1 || said.everybodys) && json::says(value, "public");
  }
}

list_rest rest_reader::take() {
  if (metas_ == 1) out_.failed = failed_upstreams(meta_);
  if (metas_ > 1) out_.members.erase(kept_.first, kept_.second);
  out_.meta = metas_ == 1 && kept_.second > 0;
  return std::move(out_);
}

void merged_rest::add(std::string_view upstream, const shared_rest& rest, bool whole) {
  caching_.add(rest ? rest->caching : list_caching{});
  if (!rest) return;
  if (whole) whole_ = rest;
  if (whole && rest->meta) return;  // which says it
  for (const auto& theirs : rest->failed)
    nested_.push_back(std::string(upstream).append("/").append(theirs));
}

std::string partial_failure(const std::vector<std::string>& missing,
                            const std::vector<std::string>& nested) {
  if (missing.empty() && nested.empty()) return {};
  std::string out = R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":[)";
  for (const auto* names : {&missing, &nested})
    for (const auto& name : *names) {
      if (!out.ends_with('[')) out += ',';
      json::append_quoted(out, name);
    }
  return out + "]}}";
}

}  // namespace gate::mcp
