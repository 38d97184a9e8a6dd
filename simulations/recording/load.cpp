#include "simulations/recording/load.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "protocol/json/scan.hpp"
#include "protocol/limits/playback.hpp"
#include "protocol/recording/reader.hpp"
#include "simulations/recording/lanes.hpp"

namespace gate::recording {
namespace {

constexpr std::size_t piece_bytes = 1024 * 1024;
static_assert(piece_bytes < limits::playback_line_bytes);
/// Lines that are parsed side by side: each has a place of its own before any is judged.
constexpr std::size_t lines_at_once = 4096;
/// A file that grows is looked at so often.
constexpr std::chrono::milliseconds look_again{200};

class descriptor {
 public:
  explicit descriptor(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string system_words(int code) {
  return std::strerror(code);
}

class loader {
 public:
  loader(const listener& to, const loading& how) : to_(to), how_(how) {}

  /// What is wrong, without the file's name.
  std::optional<problem> read_all(int fd) {
    std::string piece(piece_bytes, '\0');
    while (!stopped()) {
      const auto n = ::read(fd, piece.data(), piece.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return problem{"can not be read: " + system_words(errno)};
      if (n == 0) {
        if (!how_.follow || reader_.end() != ending::none) break;
        if (is_shorter(fd)) return problem{"has become shorter while it was followed"};
        to_.caught_up();
        std::this_thread::sleep_for(look_again);
        continue;
      }
      taken_ += static_cast<std::uint64_t>(n);
      if (auto bad = take_piece({piece.data(), static_cast<std::size_t>(n)})) return bad;
    }
    return stopped() ? std::nullopt : finish();
  }

  loaded result() && {
    return {*reader_.first(), reader_.end(), reader_.lines(), place_ != nullptr, std::move(notes_)};
  }
  bool begun() const { return reader_.first().has_value(); }

 private:
  bool stopped() const { return how_.stop && how_.stop->load(); }

  /// Of what is written anew, nothing would ever come behind what has been read.
  bool is_shorter(int fd) const {
    struct stat about {};
    return ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           static_cast<std::uint64_t>(about.st_size) < taken_;
  }

  std::optional<problem> take_piece(std::string_view piece) {
    while (!piece.empty()) {
      if (to_.place && begun() && rest_.empty())
        if (auto bad = take_whole_lines(piece)) return bad;
      if (piece.empty()) return {};
      const auto end = piece.find('\n');
      const auto part = piece.substr(0, end);
      if (rest_.size() + part.size() > limits::playback_line_bytes)
        return at_line(reader_.lines() + 1, "is longer than " +
                                                std::to_string(limits::playback_line_bytes >> 20) +
                                                " MiB, which no line of a recording is");
      if (end == std::string_view::npos) {
        rest_.append(part);
        return {};
      }
      piece.remove_prefix(end + 1);
      if (rest_.empty()) {
        if (auto bad = take_line(part)) return bad;
        continue;
      }
      rest_.append(part);
      const auto line = std::exchange(rest_, {});
      if (auto bad = take_line(line)) return bad;
    }
    return {};
  }

  /// Those that `piece` begins with, many at once, as all events have places of their own. (None of
  /// them is longer than a line may be, as no piece is.)
  std::optional<problem> take_whole_lines(std::string_view& piece) {
    lines_.clear();
    places_.clear();
    for (std::size_t end; lines_.size() < lines_at_once && (end = piece.find('\n')) != piece.npos;
         piece.remove_prefix(end + 1)) {
      lines_.push_back(piece.substr(0, end));
      places_.push_back(place_ ? std::exchange(place_, nullptr) : &to_.place());
    }
    const auto said = lanes_.parse(lines_, places_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto taken = reader_.take(lines_[i], said[i], *places_[i]);
      if (!taken) return taken.error();
      if (!*taken) place_ = places_[i];  // behind which there is nothing
    }
    return {};
  }

  std::optional<problem> take_line(std::string_view line) {
    const bool was = begun();
    std::optional<event> own;
    if (!to_.place)
      own.emplace();
    else if (!place_)
      place_ = &to_.place();
    const auto taken = reader_.take(line, own ? *own : *place_);
    if (!taken) return taken.error();
    if (!was) to_.first(*reader_.first());
    if (!*taken) return {};
    if (own) to_.event(std::move(*own));
    place_ = nullptr;
    return {};
  }

  /// The file's end: its last line may have no line feed, and if whoever wrote it was killed, may
  /// be a part of a line.
  std::optional<problem> finish() {
    if (!rest_.empty()) {
      const bool whole = json::validate(rest_, {json::deepest, true}) == json::fault::none;
      auto bad = take_line(rest_);
      if (bad && (whole || !begun() || reader_.end() != ending::none)) return bad;
      if (bad)
        notes_.emplace_back("line " + std::to_string(reader_.lines() + 1) +
                            " is cut off and is left out");
    }
    if (!begun()) return problem{"is empty: nothing was recorded"};
    if (reader_.end() == ending::none)
      notes_.emplace_back("it has no last line: the gateway was killed, or still writes");
    if (reader_.end() == ending::limit)
      notes_.emplace_back(
          "it ends before the gateway did: it has as many bytes as it may "
          "(--record-limit)");
    if (reader_.end() == ending::gap)
      notes_.emplace_back("it ends before the gateway did: it could not be written fast enough");
    return {};
  }

  const listener& to_;
  const loading& how_;
  reader reader_;
  event* place_ = nullptr;  ///< of the next one
  lanes lanes_;
  std::vector<std::string_view> lines_;  ///< of the piece at hand
  std::vector<event*> places_;
  std::string rest_;         ///< a line that has begun
  std::uint64_t taken_ = 0;  ///< bytes
  std::vector<std::string> notes_;
};

}  // namespace

result<loaded> load(const std::string& path, const listener& to, const loading& how) {
  const auto named = [&path](std::string_view what) {
    return problem{path + ": " + std::string(what)};
  };
  const descriptor file(path);
  if (file.get() < 0) return named("can not be opened: " + system_words(errno));
  struct stat about {};
  if (::fstat(file.get(), &about) == 0 && S_ISDIR(about.st_mode)) return named("is a directory");
  loader l(to, how);
  if (const auto bad = l.read_all(file.get())) return named(bad->what);
  if (!l.begun()) return named("nothing was read of it");
  return std::move(l).result();
}

}  // namespace gate::recording
