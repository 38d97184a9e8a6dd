// gate-sim export: a recording in a format of others.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "simulations/program/command.hpp"
#include "simulations/recording/har.hpp"
#include "simulations/recording/load.hpp"
#include "simulations/recording/printable.hpp"

namespace gate::sim_program {
namespace {

struct export_options {
  enum class action : std::uint8_t { write, help } what = action::write;
  std::vector<std::string> files{};
  std::string har{};
};

constexpr std::array<config::option<export_options>, 2> export_rows{
    {{"--har", "OUT.har", "write HAR 1.2 into this file, which must not exist",
      config::as_text<&export_options::har>()},
     {"--help", "", "this text",
      config::as_help<&export_options::what, export_options::action::help>()}}};

config::option_failure export_contradiction(const export_options& o) {
  if (o.what == export_options::action::help) return {};
  if (o.files.empty()) return "needs the file of a recording: gate-sim export FILE --har OUT.har";
  if (o.files.size() > 1)
    return "exports one recording at a time: \"" + o.files[1] + "\" is one too many";
  if (o.har.empty()) return "needs --har OUT.har: HAR is the one format that there is";
  return {};
}

constexpr config::program<export_options> export_table{
    "gate-sim export",
    "write a recording as HAR 1.2, which the developer tools of browsers open",
    "gate-sim export FILE --har OUT.har",
    "0 it is written, 2 the recording can not be used or the file not be written: standard error "
    "says why",
    export_rows,
    true,
    nullptr,
    &export_options::files,
    {},
    export_contradiction};

/// A new file, readable for its owner alone: what stands in it may be nobody else's business. What
/// was not written whole is taken away.
class new_file {
 public:
  explicit new_file(const std::string& path)
      : path_(path),
        fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)),
        error_(fd_ < 0 ? errno : 0) {}
  ~new_file() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (!kept_) ::unlink(path_.c_str());
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  int error() const { return error_; }

  void write(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() >= batch) flush();
  }
  bool keep() {
    flush();
    kept_ = error_ == 0;
    return kept_;
  }

 private:
  static constexpr std::size_t batch = 1024 * 1024;

  void flush() {
    std::string_view rest = waiting_;
    while (!rest.empty() && error_ == 0) {
      const auto n = ::write(fd_, rest.data(), rest.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0)
        error_ = errno;
      else
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    waiting_.clear();
  }

  std::string path_, waiting_;
  int fd_;
  int error_;
  bool kept_ = false;
};

int export_har(const export_options& o) {
  const auto& from = o.files.front();
  new_file out(o.har);
  if (out.error() != 0)
    return complain_of(
        recording::printable(o.har + ": can not be made: " + std::strerror(out.error())));
  recording::har har([&out](std::string_view text) { out.write(text); });
  recording::listener to;
  to.first = [&har](const recording::preamble& p) { har.begin(p); };
  to.event = [&har](recording::event&& e) { har.take(e); };
  const auto loaded = recording::load(from, to);
  if (!loaded) return complain_of(recording::printable(loaded.error().what));
  har.finish();
  if (!out.keep())
    return complain_of(
        recording::printable(o.har + ": can not be written: " + std::strerror(out.error())));
  for (const auto& note : loaded->notes) complain_of(recording::printable(from + ": " + note));
  std::cout << har.entries() << " entries in " << recording::printable(o.har) << '\n';
  return exit_good;
}

}  // namespace

int export_command(arguments args) {
  const auto parsed = config::parse(export_table, args);
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain_of(wrong->what);
  const auto& o = std::get<export_options>(parsed);
  if (o.what == export_options::action::help) {
    std::cout << config::help_of(export_table);
    return exit_good;
  }
  return export_har(o);
}

config::described_program export_line() {
  return config::described_of(export_table);
}

}  // namespace gate::sim_program
