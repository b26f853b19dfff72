#include "config/diagnostic.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::config {
namespace {

using testing::HasSubstr;
using testing::Not;

Place At(const std::string& file, int line, int column, int width = 1) {
  return {.file = file, .line = line, .column = column, .width = width, .key_path = "a.b"};
}

TEST(DiagnosticsTest, NothingIsNoProblem) {
  const Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.ok());
  EXPECT_EQ(diagnostics.ToText(), "");
  EXPECT_EQ(diagnostics.Summary(), "");
  EXPECT_TRUE(diagnostics.ToStatus().ok());
  EXPECT_EQ(diagnostics.ToJson(), R"({"errors":0,"warnings":0,"diagnostics":[]})");
}

TEST(DiagnosticsTest, ShowsLineCaretAndSuggestion) {
  Diagnostics diagnostics;
  diagnostics.AddSource("p.yaml", "pipeline: x\ntables:\n  watermrk: 10s\n");
  diagnostics.Add({.severity = Severity::kError,
                   .code = ErrorCode::kUnknownKey,
                   .place = At("p.yaml", 3, 3, 8),
                   .message = "unknown key `watermrk`",
                   .allowed = {"late", "watermark"},
                   .suggestion = "watermark",
                   .help = "see the reference"});
  EXPECT_EQ(diagnostics.ToText(),
            "error[WEIR0102]: unknown key `watermrk`\n"
            "  --> p.yaml:3:3  a.b\n"
            "   |\n"
            " 3 |   watermrk: 10s\n"
            "   |   ^^^^^^^^ did you mean `watermark`?\n"
            "   = allowed here: late, watermark\n"
            "   = help: see the reference\n");
}

TEST(DiagnosticsTest, AreSortedByFileAndLine) {
  Diagnostics diagnostics;
  diagnostics.AddSource("second.yaml", "x\n");
  diagnostics.AddSource("first.yaml", "x\ny\n");
  diagnostics.Error(ErrorCode::kBadValue, At("first.yaml", 2, 1), "c");
  diagnostics.Warning(ErrorCode::kBadValue, At("second.yaml", 1, 1), "a");
  diagnostics.Error(ErrorCode::kBadValue, At("first.yaml", 1, 1), "b");
  const auto sorted = diagnostics.Sorted();
  ASSERT_EQ(sorted.size(), 3U);
  EXPECT_EQ(sorted[0].message + sorted[1].message + sorted[2].message, "abc");
  EXPECT_EQ(diagnostics.Summary(), "2 errors, 1 warning in 2 files");
}

TEST(DiagnosticsTest, WarningsAreNoErrors) {
  Diagnostics diagnostics;
  diagnostics.Warning(ErrorCode::kBadValue, At("p.yaml", 0, 0), "odd");
  EXPECT_TRUE(diagnostics.ok());
  EXPECT_TRUE(diagnostics.ToStatus().ok());
  EXPECT_THAT(diagnostics.ToText(), HasSubstr("warning[WEIR0104]: odd\n"));
}

TEST(DiagnosticsTest, BeyondALimitTheyAreCounted) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 1, 1), "m");
  EXPECT_EQ(diagnostics.errors(), 1000U);
  EXPECT_EQ(diagnostics.Sorted().size(), Diagnostics::kMaxReported);
  EXPECT_THAT(diagnostics.ToText(), HasSubstr("... and 900 more\n"));
}

TEST(DiagnosticsTest, ColumnsCountCharacters) {
  Diagnostics diagnostics;
  diagnostics.AddSource("p.yaml", "größe: x\n");
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 1, 10), "m");
  EXPECT_EQ(diagnostics.Sorted()[0].place.column, 8);
  EXPECT_THAT(diagnostics.ToText(), HasSubstr("p.yaml:1:8"));
  EXPECT_THAT(diagnostics.ToText(), HasSubstr("   |        ^\n"));
}

TEST(DiagnosticsTest, JsonCarriesEverything) {
  Diagnostics diagnostics;
  diagnostics.Add({.severity = Severity::kError,
                   .code = ErrorCode::kUnknownKey,
                   .place = At("p.yaml", 3, 5),
                   .message = "unknown key `a\"b`",
                   .allowed = {"x"},
                   .suggestion = "x",
                   .help = "h"});
  const auto json = nlohmann::json::parse(diagnostics.ToJson());
  EXPECT_EQ(json["errors"], 1);
  const auto& first = json["diagnostics"][0];
  EXPECT_EQ(first["severity"], "error");
  EXPECT_EQ(first["code"], "WEIR0102");
  EXPECT_EQ(first["file"], "p.yaml");
  EXPECT_EQ(first["line"], 3);
  EXPECT_EQ(first["column"], 5);
  EXPECT_EQ(first["key_path"], "a.b");
  EXPECT_EQ(first["message"], "unknown key `a\"b`");
  EXPECT_EQ(first["allowed"], nlohmann::json({"x"}));
  EXPECT_EQ(first["suggestion"], "x");
  EXPECT_EQ(first["help"], "h");
}

TEST(DiagnosticsTest, TheStatusIsTheFirstErrorWithItsPlace) {
  Diagnostics diagnostics;
  diagnostics.Error(ErrorCode::kMissingVariable, At("p.yaml", 4, 2), "the variable X is not set",
                    "export X");
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 9, 2), "other");
  const Status status = diagnostics.ToStatus();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(status.error().code, ErrorCode::kMissingVariable);
  EXPECT_EQ(status.error().message, "p.yaml:4:2: the variable X is not set (and 1 error more)");
  EXPECT_EQ(status.error().remedy, "export X");
}

TEST(DiagnosticsTest, HiddenSpansStayHidden) {
  Diagnostics diagnostics;
  diagnostics.AddSource("p.yaml", "a: {x: 1, y: hidden, z: 2}\n  hidden too\nb: 3\n");
  diagnostics.HideSpan("p.yaml", 1, 14, 1, 22);
  diagnostics.HideSpan("p.yaml", 2, 1, 0, 0);
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 1, 22), "z");
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 1, 14), "y");
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 3, 1), "b");
  EXPECT_THAT(diagnostics.ToText(), Not(HasSubstr("hidden")));
  EXPECT_THAT(diagnostics.ToText(), HasSubstr("a: {x: 1, y: ***z: 2}"));
}

TEST(DiagnosticsTest, ControlCharactersDoNotReachTheTerminal) {
  Diagnostics diagnostics;
  diagnostics.AddSource("p.yaml", "a: \x1b[31m\n");
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 1, 1), "m");
  EXPECT_THAT(diagnostics.ToText(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(diagnostics.ToText(true), HasSubstr("\x1b[1;31m"));
}

TEST(DiagnosticsTest, PlacesOutsideOfTheTextAreNoTrouble) {
  Diagnostics diagnostics;
  diagnostics.AddSource("p.yaml", "a\n");
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 99, 1), "m");
  diagnostics.Error(ErrorCode::kBadValue, At("p.yaml", 1, 99, 1'000), "m");
  diagnostics.Error(ErrorCode::kBadValue, At("other.yaml", 1, 1), "m");
  EXPECT_THAT(diagnostics.ToText(), HasSubstr("p.yaml:99:1"));
}

}  // namespace
}  // namespace weir::config
