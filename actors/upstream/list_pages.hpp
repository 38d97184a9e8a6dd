#pragma once
/// LIST PAGES: what an upstream lists, page by page, as it is known here: names with their prefix,
/// tools with what is to be known of them. Part of UPSTREAM SESSION.
#include <cstdint>
#include <string_view>

#include "actors/upstream/session_basics.hpp"

namespace gate::upstream {

enum class page_read : std::uint8_t {
  last,  ///< `w.items` is the whole list
  more,  ///< `w.cursor` is the next page's
  bad,   ///< the log knows why
};

/// The server that lists.
struct list_source {
  mcp::era era;              ///< the generation that it is spoken to in
  bool makes_tasks = false;  ///< of calls of its tools
};

/// One more page of the list that `w` fetches (raw result). Of the last one of a server without
/// sessions PEERS learn what calls of its tools need.
page_read read_page(work& w, std::string_view raw_result, session_basics& s, list_source from);

/// All pages of a list that another instance has fetched, `w.list.kept`, which is taken: `last`, or
/// `bad` if they are no list.
page_read read_kept(work& w, session_basics& s);

}  // namespace gate::upstream
