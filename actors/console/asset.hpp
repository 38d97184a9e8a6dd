#pragma once
/// The files of a page, as the build has put them into the program (scripts/cmake/embed.cmake makes
/// a source of one or more folders: actors/console/assets, which all pages have in common, and the
/// page's own). Texts of static storage: nothing is read, and nothing is made, at the start. Asked
/// by the endpoint.
#include <span>
#include <string_view>

namespace gate::console {

struct asset {
  std::string_view path;    ///< below `/console/`; the page itself: `index.html`
  std::string_view type;    ///< media type
  std::string_view digest;  ///< of `plain`, 32 hexadecimal digits
  std::string_view plain;
  std::string_view packed;  ///< the same as gzip
};

/// By path, in the order of bytes.
using files = std::span<const asset>;

/// The page of the gateway (actors/ops/console) and that of `gate-hooks` (actors/webhooks/console).
files gateway_files();
files hooks_files();

/// The file of a path below `/console/`, which is `index.html` for an empty one; null: there is
/// none.
const asset* find_asset(files of, std::string_view path);

}  // namespace gate::console
