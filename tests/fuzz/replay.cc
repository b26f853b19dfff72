// Stands in for libFuzzer where the compiler has none: calls the fuzzer with each file of the
// folders or files named, and with every prefix of the short ones, which is what a torn file is.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kShort = 4096;

std::size_t Replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::size_t runs = 0;
  for (std::size_t size = bytes.size() > kShort ? bytes.size() : 0; size <= bytes.size(); ++size) {
    // A fresh copy of exactly this size, so that a sanitizer sees a read past its end.
    const std::vector<std::uint8_t> input(bytes.begin(),
                                          bytes.begin() + static_cast<std::ptrdiff_t>(size));
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++runs;
  }
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t runs = 0;
  for (int at = 1; at < argc; ++at) {
    const std::filesystem::path root(argv[at]);
    if (!std::filesystem::is_directory(root)) {
      runs += Replay(root);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) runs += Replay(entry.path());
    }
  }
  std::printf("%zu inputs\n", runs);
  return runs == 0 ? 1 : 0;
}
