#pragma once
/// One line of a recording, read strictly: a program wrote it, so what is unknown, repeated or of
/// another shape was edited or is another format, and is told. Pure; the reader asks, which knows
/// what stands in other lines. Problems are parts of a sentence: "has no `status`".
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/recording/event.hpp"

namespace gate::recording {

/// The first line.
result<preamble> parse_preamble(std::string_view line);

/// A further line: an event, written into `to`, which is a new one; or, if what is returned is not
/// `none`, the last line.
result<ending> parse_line(std::string_view line, event& to, header_memo& memo);

/// `text` as a problem quotes it: not longer than a line on a screen.
std::string quote_of(std::string_view text);

}  // namespace gate::recording
