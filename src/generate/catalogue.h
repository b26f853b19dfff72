#pragma once
// Catalogue: what the made-up shop sells and what its visitors search for. The same for every seed.
// Immutable after construction and safe to share between threads.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::generate {

/// Texts are ready to stand between the quotes of a JSON string.
struct Product {
  std::string id;    // prod_00421
  std::string name;  // Insulated Travel Mug 350 ml
  std::string slug;  // insulated-travel-mug-350-ml-00421
  std::int64_t price_cents = 0;
  std::uint8_t category = 0;
};

/// One search that visitors type: as JSON text and as a query parameter.
struct SearchQuery {
  std::string_view json;
  std::string_view url;
};

class Catalogue {
 public:
  Catalogue();
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  /// Ordered by category; every category has as many.
  std::span<const Product> products() const { return products_; }
  static std::size_t category_count();
  std::size_t products_per_category() const { return products_.size() / category_count(); }
  static std::string_view CategoryName(std::size_t category);
  static std::span<const SearchQuery> queries();

 private:
  std::vector<Product> products_;
};

}  // namespace weir::generate
