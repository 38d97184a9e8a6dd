#include "protocol/webhook/errors.hpp"

#include <array>

#include "protocol/webhook/writer.hpp"

namespace gate::webhook {
namespace {

constexpr std::array<std::string_view, 4> locus_names{"", "pointer", "parameter", "header"};

}  // namespace

std::string render(const api_error& e) {
  std::string out;
  object_writer w(out);
  w.text("error", e.error);
  w.text("code", row_of(e.code).name);
  if (e.in != locus::nowhere) {
    object_writer details(w.key("details"));
    details.text(locus_names[static_cast<std::size_t>(e.in)], e.where);
    details.end();
  }
  if (!e.hint.empty()) w.text("hint", e.hint);
  w.end();
  return out;
}

}  // namespace gate::webhook
