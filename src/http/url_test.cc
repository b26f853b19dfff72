#include "http/url.h"

#include <gtest/gtest.h>

namespace weir::http {
namespace {

TEST(Url, HasItsParts) {
  const auto url = ParseUrl("https://Lake.Example:8443/a/b%20c?list-type=2&prefix=x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "lake.example");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/a/b%20c");
  EXPECT_EQ(url->query, "list-type=2&prefix=x");
  EXPECT_EQ(url->authority(), "lake.example:8443");
  EXPECT_EQ(url->origin(), "https://lake.example:8443");
}

TEST(Url, LeavesOutWhatIsUsual) {
  EXPECT_EQ(ParseUrl("http://h:80")->origin(), "http://h");
  EXPECT_EQ(ParseUrl("https://h:443/")->origin(), "https://h");
  EXPECT_EQ(ParseUrl("http://h")->path, "/");
  EXPECT_EQ(ParseUrl("http://h?q")->query, "q");
  EXPECT_EQ(ParseUrl("http://[::1]:9000/x")->authority(), "[::1]:9000");
  EXPECT_EQ(ParseUrl("http://[::1]/x")->port, 0);
}

TEST(Url, RefusesWhatItCannotMean) {
  for (const char* text :
       {"", "h/x", "ftp://h", "http://", "http://u:p@h", "http://h:0", "http://h:99999",
        "http://h:1x", "http://h/a b", "http://h/#f", "http://h/\n", "http://h^"}) {
    const auto url = ParseUrl(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().kind, ErrorKind::kInvalidInput);
  }
}

TEST(Url, NeverShowsAPassword) {
  EXPECT_EQ(ParseUrl("http://user:hidden@h").error().message.find("hidden"), std::string::npos);
}

TEST(PercentEncode, KeepsTheUnreservedOnly) {
  EXPECT_EQ(PercentEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncode("a b+c=d%20/é"), "a%20b%2Bc%3Dd%2520%2F%C3%A9");
  EXPECT_EQ(PercentEncode("a b/c", Slash::kKeep), "a%20b/c");
}

TEST(PercentDecode, IsItsInverse) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(*PercentDecode(PercentEncode(all)), all);
  for (const char* broken : {"%", "%4", "a%zz", "%4g"}) EXPECT_FALSE(PercentDecode(broken));
}

}  // namespace
}  // namespace weir::http
