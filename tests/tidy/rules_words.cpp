/// The rules about words: what a room must not call, and what nobody writes.
#include <array>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

enum class form : std::uint8_t {
  word,       ///< wherever it stands
  free_call,  ///< as a call of a free function
};

struct ban {
  std::string_view word;  ///< a space stands for any white space
  form how;
  std::vector<std::string_view> where;   ///< prefixes of paths; none: everywhere
  std::vector<std::string_view> except;  ///< prefixes of paths
  std::string_view why;
};

using paths = std::vector<std::string_view>;

/// The protocol and the trade have words for these: cancel, forward, last event id, fan-out, queue.
constexpr std::array<std::string_view, 6> private_words{"withdraw", "withdrawn", "relayed",
                                                        "bookmark", "survey",    "waiting_line"};

const std::vector<ban>& bans() {
  static const paths deciding{"protocol/", "config/", "actors/", "shim/"};
  static const paths seeded{"protocol/", "config/", "actors/", "shim/", "simulations/", "tests/"};
  static const paths none;
  static const paths measuring{"simulations/benchmarks/"};
  static const paths mains{"actors/main.cpp", "actors/webhooks/main.cpp",
                           "actors/kubernetes/main.cpp", "shim/main.cpp", "shim/up/main.cpp"};
  static constexpr std::string_view clock =
      "tests could not decide the time; take `now` as a parameter or ask the actor clock "
      "(transport/clock.hpp hands in the wall clock)";
  static constexpr std::string_view chance =
      "a run could not be repeated from its seed; take a generator as a parameter "
      "(transport/clock.hpp)";
  static constexpr std::string_view environment =
      "surroundings are read once, at boot; use environment_variable() of transport/process.hpp";
  static constexpr std::string_view waiting =
      "a sleeping actor blocks its whole unit; send a delayed message instead";
  static constexpr std::string_view threads =
      "threads and locks belong to transport; actors share nothing and send messages";
  static constexpr std::string_view printing =
      "only main writes to the terminal; return the text, or use transport/log.hpp";
  static const paths pipeline{"actors/"};
  // A recorder stands between the two: it hands on what stage 9 says.
  static const paths exit{"actors/pipeline/stage9_audit.cpp", "actors/recording/"};
  static constexpr std::string_view leaving =
      "what a call's end means for its client and the audit trail is said in stage 9 alone; use "
      "exit_stage of actors/pipeline/stage9_audit.hpp";
  static const std::vector<ban> table{
      {"system_clock::now", form::word, deciding, none, clock},
      {"steady_clock::now", form::word, deciding, none, clock},
      {"clock::now", form::word, deciding, none, clock},
      {"time", form::free_call, deciding, none, clock},
      {"clock_gettime", form::free_call, deciding, none, clock},
      {"random_device", form::word, seeded, measuring, chance},
      {"rand", form::free_call, seeded, measuring, chance},
      {"srand", form::free_call, seeded, measuring, chance},
      {"getenv", form::word, deciding, none, environment},
      {"secure_getenv", form::word, deciding, none, environment},
      {"sleep_for", form::word, deciding, none, waiting},
      {"sleep_until", form::word, deciding, none, waiting},
      {"sleep", form::free_call, deciding, none, waiting},
      {"usleep", form::free_call, deciding, none, waiting},
      {"nanosleep", form::free_call, deciding, none, waiting},
      {"std::this_thread", form::word, deciding, none, threads},
      {"std::thread", form::word, deciding, none, threads},
      {"std::jthread", form::word, deciding, none, threads},
      {"std::async", form::word, deciding, none, threads},
      {"std::mutex", form::word, deciding, none, threads},
      {"std::shared_mutex", form::word, deciding, none, threads},
      {"std::recursive_mutex", form::word, deciding, none, threads},
      {"std::condition_variable", form::word, deciding, none, threads},
      {"std::cout", form::word, deciding, mains, printing},
      {"std::cerr", form::word, deciding, mains, printing},
      {"printf", form::free_call, deciding, mains, printing},
      {"fprintf", form::free_call, deciding, mains, printing},
      {"puts", form::free_call, deciding, mains, printing},
      {"-> respond", form::word, pipeline, exit, leaving},
      {"-> open_stream", form::word, pipeline, exit, leaving},
      {"ticket . spend", form::word, pipeline, exit, leaving},
      {"ticket . hand_over", form::word, pipeline, exit, leaving},
      {"[ =", form::word, none, none,
       "a capture of everything hides what a lambda keeps alive; name what it captures"},
      {"catch ( ... )", form::word, none, none,
       "it hides bugs; catch what is expected, and let the actor's supervisor handle the rest"},
      {"using namespace std ;", form::word, none, none,
       "names of std would collide with ours; write std::"},
  };
  return table;
}

bool applies(const ban& b, std::string_view path) {
  return (b.where.empty() || in_any(path, b.where)) && !in_any(path, b.except);
}

/// A test of a room whose tests have one thread makes more of them.
void add_unseen_threads(const file& f, std::string_view code, findings& out) {
  static const paths of_one_thread{"tests/protocol/", "tests/config/", "tests/actors/",
                                   "tests/shim/"};
  static const paths threaded{"tests/actors/embed/", "tests/protocol/recycled_test.cpp"};
  if (!in_any(f.path, of_one_thread) || in_any(f.path, threaded)) return;
  for (const std::string word : {"std::thread", "std::jthread", "std::async"})
    for (const auto at : find_all(code, word))
      out.push_back({f.path, line_at(code, at), f.path + ":" + word,
                     "`" + word +
                         "`: what has threads is to run with ThreadSanitizer too; name it in "
                         "`threaded` of tests/CMakeLists.txt, and here"});
}

bool may_hold_notes(std::string_view path) {
  return is_cpp(path) || path.ends_with(".mjs") || path.ends_with(".md") ||
         path.ends_with("CMakeLists.txt") || path == "Makefile" || path.starts_with("scripts/");
}

}  // namespace

findings check_words(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!is_cpp(f.path)) continue;
    const auto code = mask(f.text).code;
    for (const auto& b : bans()) {
      if (!applies(b, f.path)) continue;
      const std::string word(b.word);
      for (const auto at : b.how == form::word ? find_all(code, word) : find_calls(code, word))
        out.push_back({f.path, line_at(code, at), f.path + ":" + word,
                       "`" + word + "`: " + std::string(b.why)});
    }
    for (const auto word : private_words)
      for (const auto at : find_all(code, word))
        out.push_back({f.path, line_at(code, at), f.path + ":" + std::string(word),
                       "`" + std::string(word) + "`: the protocol or the trade has a word for it"});
    add_unseen_threads(f, code, out);
  }
  return out;
}

findings check_notes(const tree& t) {
  // In pieces, or this file would be its own first finding.
  static const std::array<std::string, 3> notes{
      "TO"
      "DO",
      "FIX"
      "ME",
      "XX"
      "X"};
  findings out;
  for (const auto& f : t.files) {
    if (!may_hold_notes(f.path)) continue;
    for (const auto& note : notes)
      for (const auto at : find_all(f.text, note))
        out.push_back({f.path, line_at(f.text, at), f.path,
                       note + ": a note that nobody else can act on; do it, or say in a sentence "
                              "what is so and why"});
  }
  return out;
}

}  // namespace gate::tidy
