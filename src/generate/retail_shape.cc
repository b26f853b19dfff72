#include "generate/retail_shape.h"

#include <array>

#include "base/check.h"

namespace weir::generate {
namespace {

constexpr std::array<std::string_view, 6> kOutsidePages = {
    "https://www.example.org/",
    "https://search.example.com/",
    "https://search.example.com/ads?campaign=autumn-sale",
    "https://mail.example.com/",
    "https://social.example.net/feed",
    "https://blog.example.org/best-gifts-2025"};
constexpr std::array<std::string_view, 6> kCampaigns = {
    "direct",
    "organic",
    "?utm_source=search&utm_medium=cpc&utm_campaign=autumn-sale",
    "?utm_source=newsletter&utm_medium=email&utm_campaign=week-36",
    "social",
    "referral"};

enum RetailFlaw : std::size_t {
  kTruncated,
  kQuantityText,
  kUserMissing,
  kUnknownType,
  kBrowserBlank,
  kTimeText,
  kPriceScale,
  kQuantityNegative,
  kPurchaseWithoutOrder,
  kTrailingObject,
  kSessionNull,
  kPriceNegative,
  kTimeWithoutZone,
  kQuantityTooLarge,
  kUnclosedString,
  kPriceTooLarge,
  kRepeatedKey,
  kArray,
  kBadUtf8,
  kPageObject,
  kLoneSurrogate,
  kImpossibleDate,
  kPlainText,
  kFlawCount,
};

// In the order in which they are planted: the first ten come early in any test.
constexpr std::array<Flaw, kFlawCount> kFlaws = {{
    {"truncated", RejectReason::kMalformed},
    {"quantity_text", RejectReason::kWrongType},
    {"user_id_missing", RejectReason::kMissing},
    {"unknown_event_type", RejectReason::kNotAllowed},
    {"browser_blank", RejectReason::kBlank},
    {"time_text", RejectReason::kBadTimestamp},
    {"price_scale", RejectReason::kScaleLoss},
    {"quantity_negative", RejectReason::kBelowMin},
    {"purchase_without_order", RejectReason::kMissingForType},
    {"trailing_object", RejectReason::kTrailingData},
    {"session_id_null", RejectReason::kMissing},
    {"price_negative", RejectReason::kBelowMin},
    {"time_without_zone", RejectReason::kNoZone},
    {"quantity_too_large", RejectReason::kOutOfRange},
    {"unclosed_string", RejectReason::kMalformed},
    {"price_too_large", RejectReason::kOutOfRange},
    {"repeated_key", RejectReason::kDuplicateKey},
    {"array", RejectReason::kNotAnObject},
    {"bad_utf8", RejectReason::kInvalidUtf8},
    {"page_object", RejectReason::kWrongType},
    {"lone_surrogate", RejectReason::kInvalidUtf8},
    {"impossible_date", RejectReason::kBadTimestamp},
    {"plain_text", RejectReason::kMalformed},
}};

// The spoils that set one member to one value: its name and JSON text, or nothing.
struct MemberSpoil {
  std::string_view member;
  std::string_view value;
};

MemberSpoil SpoilOf(std::size_t flaw) {
  switch (flaw) {
    case kQuantityText:
      return {"quantity", R"("several")"};
    case kUnknownType:
      return {"event_type", R"("wishlist_add")"};
    case kBrowserBlank:
      return {"browser", R"("  ")"};
    case kTimeText:
      return {"event_time", R"("yesterday at ten")"};
    case kPriceScale:
      return {"price", "19.995"};
    case kQuantityNegative:
      return {"quantity", "-1"};
    case kSessionNull:
      return {"session_id", "null"};
    case kPriceNegative:
      return {"price", "-0.01"};
    case kTimeWithoutZone:
      return {"event_time", R"("2025-06-02T10:00:00.000")"};
    case kQuantityTooLarge:
      return {"quantity", "3000000000"};
    case kPriceTooLarge:
      return {"price", "100000000.00"};
    case kBadUtf8:
      return {"page_url", "\"https://shop.example/\xff\xfe\""};
    case kPageObject:
      return {"page_url", R"({"path":"/cart"})"};
    case kLoneSurrogate:
      return {"page_url", R"("https://shop.example/\ud83d")"};
    case kImpossibleDate:
      return {"event_time", R"("2025-02-30T10:00:00.000Z")"};
    default:
      return {};
  }
}

// JSON numbers as a browser prints them: 18, 18.5, 18.99.
void WriteShortCents(std::uint64_t cents, JsonText& out) {
  out.Number(cents / 100);
  if (const std::uint64_t rest = cents % 100; rest != 0) {
    out.Char('.');
    out.Char(static_cast<char>('0' + rest / 10));
    if (rest % 10 != 0) out.Char(static_cast<char>('0' + rest % 10));
  }
}

void WriteCents(std::uint64_t cents, JsonText& out) {
  out.Number(cents / 100);
  out.Char('.');
  out.Padded(cents % 100, 2);
}

}  // namespace

void RetailShape::WritePage(const Page& page, JsonText& out) const {
  if (page.kind == Page::Kind::kOutside) {
    out.Text(kOutsidePages[page.number]);
    return;
  }
  out.Literal("https://shop.example/");
  switch (page.kind) {
    case Page::Kind::kCampaign:
      out.Text(kCampaigns[page.number]);
      break;
    case Page::Kind::kCollection:
      out.Literal("collections/");
      out.Text(Catalogue::CategoryName(page.number));
      out.Literal("?sort=popular");
      break;
    case Page::Kind::kSearch:
      out.Literal("search?q=");
      out.Text(Catalogue::queries()[page.number].url);
      break;
    case Page::Kind::kProduct:
      out.Literal("products/");
      out.Text(catalogue_.products()[page.number].slug);
      break;
    case Page::Kind::kCart:
      out.Literal("cart");
      break;
    case Page::Kind::kCheckout:
      out.Literal("checkout/");
      out.Hex(page.number, 12);
      out.Literal("/address");
      break;
    case Page::Kind::kOrder:
      out.Literal("orders/");
      out.Hex(page.number, 12);
      out.Literal("/thank-you");
      break;
    case Page::Kind::kNone:
    case Page::Kind::kHome:
    case Page::Kind::kOutside:
      break;
  }
}

void RetailShape::Write(const ShopEvent& event, JsonText& out) {
  out.Literal(R"({"event_id":")");
  const UuidText id = ToUuidText(event.id);
  out.Text({id.data(), id.size()});
  out.Literal(R"(","event_time":")");
  time_text_.Write(event.time, IsFromApp(event) ? 6 : 3, out);
  out.Literal(R"(","user_id":"user_)");
  out.Padded(event.user, 6);
  out.Literal(R"(","session_id":"sess_)");
  out.Hex(event.session, 16);
  out.Literal(R"(","event_type":")");
  out.Text(ToString(event.type));
  out.Literal(R"(","page_url":")");
  WritePage(event.page, out);
  out.Char('"');
  WriteOptional(event, out);
  out.Literal(R"(,"device_type":")");
  out.Text(ToString(event.device));
  out.Literal(R"(","browser":")");
  out.Text(ToString(event.browser));
  out.Literal(R"(","traffic_source":")");
  out.Text(ToString(event.source));
  out.Literal(R"("})");
}

namespace {

// One optional member: written by `write`, else as null, else (from the app) not at all.
template <std::size_t N, typename Write>
void Member(JsonText& out, const char (&prefix)[N], bool present, bool skip_absent, Write write) {
  if (!present && skip_absent) return;
  out.Literal(prefix);
  if (present) {
    write();
  } else {
    out.Literal("null");
  }
}

void Quoted(std::string_view text, JsonText& out) {
  out.Char('"');
  out.Text(text);
  out.Char('"');
}

}  // namespace

void RetailShape::WriteOptional(const ShopEvent& event, JsonText& out) const {
  const bool app = IsFromApp(event);
  const Product* product = event.product;
  // The app removes from the cart by id alone; so does the site.
  const bool described = product != nullptr && event.type != EventType::kRemoveFromCart;
  const bool searched = event.type == EventType::kSearch;
  const auto cents = static_cast<std::uint64_t>(event.price_cents);
  Member(out, R"(,"referrer_url":)", event.referrer.kind != Page::Kind::kNone, app, [&] {
    out.Char('"');
    WritePage(event.referrer, out);
    out.Char('"');
  });
  Member(out, R"(,"search_query":)", searched, app,
         [&] { Quoted(Catalogue::queries()[event.page.number].json, out); });
  Member(out, R"(,"product_id":)", product != nullptr, app, [&] { Quoted(product->id, out); });
  Member(out, R"(,"product_name":)", described, app, [&] { Quoted(product->name, out); });
  Member(out, R"(,"category":)", !event.category.empty(), app,
         [&] { Quoted(event.category, out); });
  Member(out, R"(,"cart_id":)", event.cart != 0, app, [&] {
    out.Literal(R"("cart_)");
    out.Hex(event.cart, 12);
    out.Char('"');
  });
  Member(out, R"(,"order_id":)", event.order != 0, app, [&] {
    out.Literal(R"("ord_)");
    out.Hex(event.order, 12);
    out.Char('"');
  });
  Member(out, R"(,"quantity":)", event.quantity != 0, app,
         [&] { out.Number(static_cast<std::uint64_t>(event.quantity)); });
  Member(out, R"(,"price":)", event.price_cents != ShopEvent::kNoPrice, app,
         [&] { app ? WriteCents(cents, out) : WriteShortCents(cents, out); });
}

std::span<const Flaw> RetailShape::flaws() const { return kFlaws; }

std::string RetailShape::Spoil(std::string_view object, std::size_t flaw) const {
  switch (flaw) {
    case kTruncated:
      return Truncated(object);
    case kTrailingObject:
      return WithTrailingData(object);
    case kUnclosedString:
      return WithoutQuote(object);
    case kRepeatedKey:
      return WithRepeatedFirstMember(object);
    case kArray:
      return InArray(object);
    case kPlainText:
      return "connection reset by peer";
    default:
      break;
  }
  std::string spoilt(object);
  if (flaw == kUserMissing) {
    RemoveMember(spoilt, "user_id");
  } else if (flaw == kPurchaseWithoutOrder) {
    SetMember(spoilt, "event_type", R"("purchase")");
    SetMember(spoilt, "cart_id", R"("cart_000000000000")");
    RemoveMember(spoilt, "order_id");
  } else {
    const MemberSpoil spoil = SpoilOf(flaw);
    WEIR_CHECK(!spoil.member.empty());
    SetMember(spoilt, spoil.member, spoil.value);
  }
  return spoilt;
}

}  // namespace weir::generate
