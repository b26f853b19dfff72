#include "generate/id_checksum.h"

#include <array>
#include <memory>

#include <openssl/evp.h>

#include "base/check.h"

namespace weir::generate {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Starting a digest again on a kept context is several times faster than a fresh one.
EVP_MD_CTX* Sha256Context() {
  static thread_local std::unique_ptr<EVP_MD_CTX, FreeContext> context = [] {
    std::unique_ptr<EVP_MD_CTX, FreeContext> made(EVP_MD_CTX_new());
    WEIR_CHECK(made != nullptr);
    WEIR_CHECK(EVP_DigestInit_ex(made.get(), EVP_sha256(), nullptr) == 1);
    return made;
  }();
  return context.get();
}

}  // namespace

void IdChecksum::Add(std::string_view text) {
  EVP_MD_CTX* context = Sha256Context();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  WEIR_CHECK(EVP_DigestInit_ex(context, nullptr, nullptr) == 1);
  WEIR_CHECK(EVP_DigestUpdate(context, text.data(), text.size()) == 1);
  WEIR_CHECK(EVP_DigestFinal_ex(context, digest.data(), nullptr) == 1);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | digest[i];
  sum_ += word;
}

}  // namespace weir::generate
