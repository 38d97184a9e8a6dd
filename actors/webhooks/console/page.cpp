#include "actors/webhooks/console/page.hpp"

namespace gate::hooks {

std::optional<console::page> console_page(std::string_view path,
                                          std::span<const http::header> request) {
  const auto files = console::hooks_files();
  if (!console::is_there(files, path)) return {};
  return console::answer(files, path, request);
}

}  // namespace gate::hooks
