// Runs a fuzz target without libFuzzer: over its corpus, and over inputs made from it by a seed.
// Nothing guides it, so it finds little that is new; it keeps targets compiling, and what was found
// before from coming back. `make fuzz` is what looks for more.
//
//   <target>_replay FOLDER [INPUTS]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& input) {
  // A copy of just that size, so that AddressSanitizer sees a step beyond it.
  const std::vector<std::uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

/// Cut, repeated, joined with another, with bytes that are others.
std::string mutated(const std::vector<std::string>& all, std::mt19937_64& dice) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : dice() % n; };
  auto out = all[below(all.size())];
  for (auto rounds = 1 + below(4); rounds > 0; --rounds) {
    const auto at = below(out.size() + 1);
    const auto length = below(std::min<std::size_t>(out.size() - at, 32) + 1);
    switch (below(5)) {
      case 0:
        out.erase(at, length);
        break;
      case 1:
        out.insert(at, out.substr(at, length));
        break;
      case 2: {
        const auto& other = all[below(all.size())];
        out = out.substr(0, at) + other.substr(below(other.size() + 1));
        break;
      }
      case 3:
        out.insert(at, 1, static_cast<char>(dice()));
        break;
      default:
        if (at < out.size()) out[at] = static_cast<char>(dice());
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: replay FOLDER [INPUTS]\n", stderr), 2;
  std::vector<std::filesystem::path> files;
  for (const auto& f : std::filesystem::directory_iterator(argv[1])) files.push_back(f.path());
  std::ranges::sort(files);  // so that a seed means the same everywhere
  std::vector<std::string> all{""};
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (all.size() == 1) return std::fprintf(stderr, "no corpus in %s\n", argv[1]), 1;
  for (const auto& input : all) run(input);
  std::mt19937_64 dice(1);
  const auto inputs = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  for (std::size_t i = 0; i < inputs; ++i) run(mutated(all, dice));
  std::printf("%zu files, %zu inputs made from them\n", files.size(), std::size_t{inputs});
}
