#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {
namespace {

/// Flaws of the head itself: there may be no Host to check.
bool head_is_broken(http::defect d) {
  return d != http::defect::none && d != http::defect::body_too_large && d != http::defect::crowded;
}

refused refuse(arrived call, reason why, std::string message, std::string headers = {}) {
  return {std::move(call).take(), {why, std::move(message), {}, -1}, std::move(headers)};
}

}  // namespace

step_result<fact<stage::host>> host_step::run(arrived call, desk& d) {
  const auto& request = call->request();
  const auto flaw = request.flaw;
  if (head_is_broken(flaw))
    return refuse(std::move(call),
                  flaw == http::defect::timeout ? reason::timeout : reason::bad_request,
                  std::string(http::describe(flaw)));
  if (!d.hosts().host(request.header("host")))
    return refuse(std::move(call), reason::forbidden_host,
                  "this Host is not on the allowlist (server.allowedHosts)");
  for (const auto& h : request.headers)
    if (http::same_name(h.name, "origin") && !d.hosts().origin(h.value))
      return refuse(std::move(call), reason::forbidden_origin,
                    "this Origin is not on the allowlist (server.allowedHosts)");
  if (flaw == http::defect::body_too_large)
    return refuse(std::move(call), reason::body_too_large,
                  "the request body exceeds server.maxBodyBytes");
  if (flaw == http::defect::crowded)
    return refuse(std::move(call), reason::overloaded, std::string(http::describe(flaw)),
                  "Retry-After: 1\r\n");
  return fact<stage::host>(std::move(call).take());
}

}  // namespace gate::pipeline
