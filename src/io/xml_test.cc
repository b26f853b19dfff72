#include "io/xml.h"

#include <gtest/gtest.h>

namespace weir::io {
namespace {

TEST(Xml, ElementsAndText) {
  const auto root = ParseXml(
      "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- a > b -->"
      "<s3:R xmlns=\"x\" a='>'>\n <K>a&lt;b&amp;&#43;&#x20ac;&#10;</K><E/><E2 b=\"1\"/>"
      "<K><![CDATA[<raw>&amp;]]></K></s3:R>\n");
  ASSERT_TRUE(root) << root.error().ToString();
  EXPECT_EQ(root->name, "R");
  ASSERT_EQ(root->children.size(), 4U);
  EXPECT_EQ(root->TextOf("K"), "a<b&+\xE2\x82\xAC\n");
  EXPECT_EQ(root->children[3].text, "<raw>&amp;");
  EXPECT_NE(root->Find("E"), nullptr);
  EXPECT_EQ(root->Find("F"), nullptr);
  EXPECT_EQ(root->TextOf("F"), "");
}

TEST(Xml, RefusesWhatIsMalformed) {
  for (const char* text :
       {"", "text", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a", "<a b='>", "<!-- ", "<a>&x;</a>",
        "<a>&</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<>x</>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a/>x", "<a><![CDATA[x</a>"}) {
    const auto root = ParseXml(text);
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().kind, ErrorKind::kCorrupt);
  }
}

TEST(Xml, BoundsDepthAndCount) {
  std::string deep, wide = "<a>";
  for (int i = 0; i < 100; ++i) deep += "<a>";
  for (int i = 0; i < 100; ++i) deep += "</a>";
  EXPECT_FALSE(ParseXml(deep));
  EXPECT_TRUE(ParseXml(deep, {.depth = 100}));
  for (int i = 0; i < 100; ++i) wide += "<b/>";
  wide += "</a>";
  EXPECT_TRUE(ParseXml(wide));
  EXPECT_FALSE(ParseXml(wide, {.elements = 100}));
}

TEST(Xml, WhatIsEscapedComesBack) {
  std::string text;
  for (int i = 1; i < 128; ++i) text += static_cast<char>(i);
  text += "\xC3\xA9";
  const auto root = ParseXml("<a>" + EscapeXml(text) + "</a>");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->text, text);
}

}  // namespace
}  // namespace weir::io
