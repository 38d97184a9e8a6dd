#include "simulations/recording/upstream_names.hpp"

#include "protocol/json/scan.hpp"

namespace gate::recording {
namespace {

std::string_view without_query(std::string_view url) {
  return url.substr(0, url.find('?'));
}

}  // namespace

void upstream_names::learn(std::string_view document) {
  const auto add = [this](std::string_view raw_url, const std::string& id) {
    std::string url;
    if (!id.empty() && json::unquote(raw_url, url)) ids_[std::string(without_query(url))] = id;
  };
  const auto all = json::member(document, "upstreams");
  if (!all.starts_with('[')) return;
  json::cursor c(all, {json::deepest, false});
  json::elements(c, [&](json::cursor& at) {
    const auto [raw_id, url, urls] =
        json::pick<3>(at.value(1), {std::string_view("id"), "url", "urls"});
    std::string id;
    json::unquote(raw_id, id);
    add(url, id);
    if (!urls.starts_with('[')) return;
    json::cursor each(urls, {json::deepest, false});
    json::elements(each, [&](json::cursor& one) { add(one.value(1), id); });
  });
}

std::string_view upstream_names::of(std::string_view url) const {
  const auto found = ids_.find(without_query(url));
  return found == ids_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace gate::recording
