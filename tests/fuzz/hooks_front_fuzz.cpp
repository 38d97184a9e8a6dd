// What decides whom gate-hooks serves, and what is asked of it: the configuration of organizations,
// methods and paths.
#include <set>
#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/limits/hooks_api.hpp"
#include "protocol/webhook/callers.hpp"
#include "protocol/webhook/ids.hpp"
#include "protocol/webhook/routes.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void organizations(std::string_view document) {
  const auto read = webhook::read_organizations(document);
  if (!read) {
    const auto& e = read.error();
    require(e.in == webhook::locus::pointer, "an error without a place");
    require(e.where.empty() || e.where.starts_with('/'), "a pointer that is none");
    require(!e.error.empty() && e.error.size() < 1000, "a sentence that is none");
    require(json::validate(webhook::render(e)) == json::fault::none, "an error that is not JSON");
    return;
  }
  require(!read->empty() && read->size() <= limits::hooks_organizations, "their number");
  std::set<std::string> ids, names;
  for (const auto& o : *read) {
    require(!o.id.empty() && o.id.size() <= limits::hooks_organization_bytes,
            "the length of an id");
    require(o.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos,
            "an id that is none");
    require(o.token_ref.find_first_of("= \r\n") == std::string::npos, "no name of a variable");
    require(ids.insert(o.id).second, "two with one id");
    require(names.insert(o.token_ref).second, "two with one token");
  }
  const auto secret = [](std::string_view name) {
    return std::optional<std::string>(std::string(limits::hooks_token_least, 'x') +
                                      std::string(name));
  };
  const auto made = webhook::callers::of(*read, secret);
  require(made.has_value() && made->size() == read->size(), "callers that can not be made");
  for (const auto& o : *read) {
    const auto* who = made->find(*secret(o.token_ref));
    require(who && who->organization == o.id && who->admin == o.admin, "a token is another's");
  }
  require(made->find(document) == nullptr, "anything is a token");
}

void paths(std::string_view path) {
  for (const auto method : {verb::get, verb::post, verb::patch, verb::del, verb::options}) {
    const auto found = webhook::find_route(method, path);
    if (!found) {
      const auto& no = found.error();
      const bool other = no.why.code == webhook::error_code::method_not_allowed;
      require(other || no.why.code == webhook::error_code::not_found, "another code");
      require(other == no.headers.starts_with("Allow: "), "Allow belongs to 405");
      continue;
    }
    const auto& row = *found->row;
    require(row.method == method, "another method");
    require((row.of_path == webhook::path_id::none) == found->id.empty(), "an id or none");
    require(found->id.empty() || webhook::is_id(webhook::id_kind::webhook, found->id) ||
                webhook::is_id(webhook::id_kind::delivery, found->id),
            "an id that is none");
    require(path.find(found->id) != path.npos, "an id from elsewhere");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  organizations(text);
  paths(text);
  return 0;
}
