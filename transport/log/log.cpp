#include "transport/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "protocol/audit/event.hpp"
#include "protocol/json/scan.hpp"

namespace gate::log {
namespace {

struct state {
  /// Of our own: not in spdlog's registry, which belongs to the program that we are part of.
  std::shared_ptr<spdlog::logger> out;
};

state& the() {
  static state s = [] {
    state fresh;
    fresh.out =
        std::make_shared<spdlog::logger>("gate", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    // Lines are complete when they get here: spdlog's patterns do not escape JSON.
    fresh.out->set_pattern("%v");
    fresh.out->set_level(spdlog::level::trace);
    fresh.out->flush_on(spdlog::level::trace);
    return fresh;
  }();
  return s;
}

std::atomic<format> form{format::text};
std::atomic<level> least{level::info};
std::atomic<sink> redirected{nullptr};

constexpr std::string_view names[] = {"debug", "info", "warn", "error"};

std::string json_line(level l, std::string_view sentence, std::initializer_list<field> fields) {
  std::string line = R"({"time":")";
  line += audit::rfc3339(std::chrono::system_clock::now());
  line += R"(","level":")";
  line += names[static_cast<int>(l)];
  line += R"(","msg":)";
  json::append_quoted(line, sentence);
  for (const auto& f : fields) {
    if (f.key.empty()) continue;
    line += ',';
    json::append_quoted(line, f.key);
    line += ':';
    json::append_quoted(line, f.value);
  }
  line += '}';
  return line;
}

/// Control characters would let a peer forge log lines, or write where it likes on a terminal.
void append_printable(std::string& line, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c < 0x20 || c == 0x7f) {
      line += ' ';
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F, in UTF-8
      line += ' ';
      ++i;
    } else {
      line += text[i];
    }
  }
}

std::string text_line(level l, std::string_view sentence, std::initializer_list<field> fields) {
  std::string line = audit::rfc3339(std::chrono::system_clock::now());
  line += ' ';
  line += names[static_cast<int>(l)];
  line.append(l == level::info || l == level::warn ? 2 : 1, ' ');
  append_printable(line, sentence);
  for (const auto& f : fields) {
    if (f.key.empty()) continue;
    line += ' ';
    line += f.key;
    line += '=';
    append_printable(line, f.value);
  }
  return line;
}

}  // namespace

void init(format f, level l) {
  form = f;
  least = l;
}

bool enabled(level l) noexcept {
  return l >= least.load(std::memory_order_relaxed);
}

void write(level l, std::string_view sentence, std::initializer_list<field> fields) {
  if (!enabled(l)) return;
  auto line =
      form == format::json ? json_line(l, sentence, fields) : text_line(l, sentence, fields);
  if (auto to = redirected.load()) return to(line);
  the().out->info("{}", line);
}

void redirect(sink s) noexcept {
  redirected = s;
}

}  // namespace gate::log
