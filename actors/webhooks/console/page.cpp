#include "actors/webhooks/console/page.hpp"

#include <utility>

#include "actors/console/page.hpp"

namespace gate::hooks {

api_answer console_page(std::string_view path, std::span<const http::header> request) {
  const auto files = console::hooks_files();
  if (!console::is_there(files, path))
    return refused(plain(webhook::error_code::not_found, "there is no such page"));
  auto page = console::answer(files, path, request);
  return {page.status, std::string(page.body), std::move(page.headers), page.type};
}

api_answer console_page(const http_request& r) {
  return console_page(r.path(), r.headers());
}

}  // namespace gate::hooks
