#include "generate/catalogue.h"

#include <array>

#include <fmt/format.h>

namespace weir::generate {
namespace {

struct CategoryPlan {
  std::string_view name;
  std::int64_t lowest_cents;
  std::int64_t step_cents;  // from one noun to the next
  std::array<std::string_view, 8> nouns;
  std::array<std::string_view, 5> variants;
};

// Some names hold quotes and letters beyond ASCII, as those of real shops do.
constexpr std::array<CategoryPlan, 12> kCategories = {{
    {"drinkware",
     900,
     350,
     {"Travel Mug", "Café Cup", "Water Bottle", "Teapot", "Wine Glass", "Beer Stein", "Carafe",
      "Thermos"},
     {"350 ml", "500 ml", "750 ml", "1 l", "set of 2"}},
    {"outdoor",
     2400,
     1900,
     {"Backpack", "Sleeping Bag", "Headlamp", "Camp Stove", "Trekking Poles", "Hammock",
      "Rain Cover", "Tent"},
     {"green", "orange", "grey", "ultralight", "family size"}},
    {"kitchen",
     1200,
     1100,
     {"Chef Knife", "Cutting Board", "Saucepan", "Whisk", "Crème Brûlée Torch", "Grater",
      "Mixing Bowl", "Stand Mixer"},
     {"small", "medium", "large", "with lid", "starter set"}},
    {"apparel",
     1500,
     1300,
     {"T-Shirt", "Wool Socks", "Hoodie", "Jeans", "Rain Jacket", "Beanie", "Running Tights",
      "Linen Shirt"},
     {"XS", "S", "M", "L", "XL"}},
    {"electronics",
     2900,
     4700,
     {"Headphones", "Desk Speaker", "Webcam", "E-Reader", "Smart Plug", "Monitor", "Keyboard",
      "Power Bank"},
     {"black", "white", "24\"", "27\"", "travel edition"}},
    {"home",
     1400,
     1600,
     {"Desk Lamp", "Throw Blanket", "Cushion", "Wall Clock", "Picture Frame", "Rug", "Candle",
      "Mirror"},
     {"oak", "walnut", "ivory", "charcoal", "limited edition"}},
    {"toys",
     800,
     700,
     {"Puzzle", "Building Blocks", "Board Game", "Kite", "Plush Bear", "Race Track", "Yo-Yo",
      "Science Kit"},
     {"age 3+", "age 6+", "age 9+", "500 pieces", "1000 pieces"}},
    {"beauty",
     600,
     500,
     {"Face Cream", "Shampoo", "Hand Balm", "Lip Balm", "Bath Salt", "Hair Brush", "Perfume",
      "Nail File"},
     {"30 ml", "50 ml", "100 ml", "unscented", "gift box"}},
    {"sports",
     1000,
     1500,
     {"Yoga Mat", "Kettlebell", "Jump Rope", "Tennis Racket", "Football", "Swim Goggles",
      "Resistance Band", "Foam Roller"},
     {"blue", "red", "5 kg", "10 kg", "pro"}},
    {"books",
     900,
     300,
     {"Notebook", "Cookbook", "Travel Guide", "Novel", "Atlas", "Poetry Collection", "Comic",
      "Field Guide"},
     {"hardcover", "paperback", "signed", "2nd edition", "3rd edition"}},
    {"garden",
     700,
     1200,
     {"Watering Can", "Planter", "Pruning Shears", "Bird House", "Garden Hose", "Seed Mix",
      "Compost Bin", "Trowel"},
     {"10 l", "25 m", "terracotta", "steel", "cedar"}},
    {"office",
     500,
     900,
     {"Fountain Pen", "Paper Tray", "Stapler", "Desk Pad", "Whiteboard", "Label Maker",
      "Monitor Arm", "File Box"},
     {"A4", "A5", "pack of 10", "13\"", "ergonomic"}},
}};

constexpr std::array<std::string_view, 10> kAdjectives = {
    "Insulated", "Classic", "Compact", "Organic",  "Wireless",
    "Folding",   "Premium", "Vintage", "Recycled", "Everyday"};

// By variant: most prices end as prices do, some in whole or half units.
constexpr std::array<std::int64_t, 5> kPriceEndings = {99, 95, 50, 0, 49};

constexpr std::array<SearchQuery, 24> kQueries = {{
    {"travel mug", "travel+mug"},
    {"blue backpack", "blue+backpack"},
    {"gift for dad", "gift+for+dad"},
    {"rain jacket", "rain+jacket"},
    {"desk lamp warm white", "desk+lamp+warm+white"},
    {"yoga mat thick", "yoga+mat+thick"},
    {"noise cancelling headphones", "noise+cancelling+headphones"},
    {"ceramic bowl", "ceramic+bowl"},
    {"27\\\" monitor", "27%22+monitor"},
    {"café cup", "caf%C3%A9+cup"},
    {"crème brûlée torch", "cr%C3%A8me+br%C3%BBl%C3%A9e+torch"},
    {"wool socks", "wool+socks"},
    {"notebook a5 dotted", "notebook+a5+dotted"},
    {"puzzle 1000 pieces", "puzzle+1000+pieces"},
    {"chef knife", "chef+knife"},
    {"kettlebell 10 kg", "kettlebell+10+kg"},
    {"birthday present 🎁", "birthday+present+%F0%9F%8E%81"},
    {"hammock", "hammock"},
    {"face cream unscented", "face+cream+unscented"},
    {"monitor arm", "monitor+arm"},
    {"fountain pen & ink", "fountain+pen+%26+ink"},
    {"tent 2 persons", "tent+2+persons"},
    {"linen shirt white", "linen+shirt+white"},
    {"Geschenk für Oma", "Geschenk+f%C3%BCr+Oma"},
}};

std::string JsonEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

bool IsAsciiAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string SlugOf(std::string_view name) {
  std::string slug;
  for (const char c : name) {
    if (IsAsciiAlphanumeric(c)) {
      slug += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  if (slug.ends_with('-')) slug.pop_back();
  return slug;
}

}  // namespace

Catalogue::Catalogue() {
  for (std::size_t category = 0; category < kCategories.size(); ++category) {
    const CategoryPlan& plan = kCategories[category];
    for (std::size_t noun = 0; noun < plan.nouns.size(); ++noun) {
      for (std::size_t adjective = 0; adjective < kAdjectives.size(); ++adjective) {
        for (std::size_t variant = 0; variant < plan.variants.size(); ++variant) {
          const std::string name = fmt::format("{} {} {}", kAdjectives[adjective], plan.nouns[noun],
                                               plan.variants[variant]);
          const std::int64_t about = plan.lowest_cents +
                                     plan.step_cents * static_cast<std::int64_t>(noun) +
                                     plan.step_cents * static_cast<std::int64_t>(adjective) / 4;
          const std::size_t number = products_.size() + 1;
          products_.push_back({.id = fmt::format("prod_{:05}", number),
                               .name = JsonEscaped(name),
                               .slug = fmt::format("{}-{:05}", SlugOf(name), number),
                               .price_cents = about / 100 * 100 + kPriceEndings[variant],
                               .category = static_cast<std::uint8_t>(category)});
        }
      }
    }
  }
}

std::size_t Catalogue::category_count() { return kCategories.size(); }

std::string_view Catalogue::CategoryName(std::size_t category) {
  return kCategories[category].name;
}

std::span<const SearchQuery> Catalogue::queries() { return kQueries; }

}  // namespace weir::generate
