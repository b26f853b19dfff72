#include "connect/table_folder.h"

#include <gtest/gtest.h>

namespace weir::connect {
namespace {

TEST(TableFolder, LeadsBackToTheName) {
  const TableName name{.levels = {"lake", "retail"}, .name = "events"};
  EXPECT_EQ(TableFolder(name), "lake/retail/events");
  EXPECT_EQ(*TableInFolder("lake/retail/events"), name);
  EXPECT_FALSE(TableInFolder("events"));
  EXPECT_FALSE(TableInFolder("retail//events"));
}

TEST(TableFolder, RefusesWhatIsNoGoodFolder) {
  EXPECT_TRUE(CheckTableFolder({.levels = {"retail"}, .name = "_events"}).ok());
  EXPECT_FALSE(CheckTableFolder({.levels = {"retail"}, .name = "_events"}, "_").ok());
  EXPECT_FALSE(CheckTableFolder({.levels = {}, .name = "events"}).ok());
  for (const char* part : {"", ".", "..", ".weir-writer", "a/b", "a%20b", "a?b", "a\nb"}) {
    EXPECT_FALSE(CheckTableFolder({.levels = {"retail"}, .name = part}).ok()) << part;
    EXPECT_FALSE(CheckTableFolder({.levels = {part}, .name = "events"}).ok()) << part;
  }
  EXPECT_FALSE(CheckTableFolder({.levels = {"retail"}, .name = std::string(201, 'a')}).ok());
}

}  // namespace
}  // namespace weir::connect
