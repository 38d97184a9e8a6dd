#include "simulations/recording/answers.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::recording {
namespace {

std::string plain(std::string_view raw) {
  std::string out;
  return json::unquote(raw, out) ? out : std::string(raw);
}

std::string name_in(const jsonrpc::message& m) {
  for (const auto raw : {m.name, m.uri, m.task_id, m.ref_name, m.ref_uri})
    if (!raw.empty()) return plain(raw);
  return {};
}

}  // namespace

said what_was_said(std::string_view body) {
  if (body.empty()) return {};
  if (jsonrpc::is_batch(body)) {
    const auto all = jsonrpc::read_batch(body);
    if (!all) return {speech::other};
    return {speech::batch, {}, "batch", std::to_string(all->size()) + " messages"};
  }
  const auto m = jsonrpc::read(body);
  if (!m) return {speech::other};
  const std::string id(m->id);
  switch (m->kind) {
    case jsonrpc::kind::request:
      return {speech::request, id, std::string(m->method), name_in(*m)};
    case jsonrpc::kind::notification:
      return {speech::notification, {}, std::string(m->method), name_in(*m)};
    case jsonrpc::kind::response:
      return {speech::response, id, {}, {}};
  }
  return {speech::other};
}

std::optional<std::string> outcome_of_message(std::string_view text, std::string_view id) {
  const auto m = jsonrpc::read(text, {}, jsonrpc::sender::server);
  if (!m || m->kind != jsonrpc::kind::response) return {};
  if (!json::same_scalar(m->id, id) && !m->id.empty()) return {};
  if (m->error.empty()) return json::member(m->result, "isError") == "true" ? "tool error" : "ok";
  return "error " + std::string(json::member(m->error, "code"));
}

std::string outcome_of_answer(std::uint64_t status, std::string_view body, std::string_view id) {
  if (status < 200 || status > 299) return "HTTP " + std::to_string(status);
  if (!id.empty())
    if (auto out = outcome_of_message(body, id)) return *out;
  return status == 202 ? "accepted" : "ok";
}

}  // namespace gate::recording
