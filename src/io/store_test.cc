// What every store promises, checked for each of them.
#include "io/store.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/scratch_folder.h"
#include "io/faulty_store.h"
#include "io/location.h"
#include "io/s3_credentials.h"

namespace weir::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A store of one kind and what it stands on.
struct Fixture {
  ScratchFolder folder;
  std::unique_ptr<Store> inner;
  std::unique_ptr<Store> store;
};

struct Kind {
  const char* name;
  std::function<void(Fixture&)> open;
};

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {
      {"Memory", [](Fixture& f) { f.store = NewMemoryStore(); }},
      {"Folder", [](Fixture& f) { f.store = *OpenFolder(f.folder / "store"); }},
      {"SharedFolder",
       [](Fixture& f) { f.store = *OpenFolder(f.folder / "store", FolderAccess::kShared); }},
      {"FaultlessFaulty",
       [](Fixture& f) {
         f.inner = NewMemoryStore();
         f.store = std::make_unique<FaultyStore>(*f.inner, 1);
       }},
  };
  // A server is there: tests/s3/run starts one and says where.
  if (const char* location = std::getenv("WEIR_TEST_S3"); location != nullptr) {
    kinds.push_back({"S3", [location](Fixture& f) {
                       S3Options options;
                       options.endpoint = DefaultEndpoint();
                       options.path_style = true;
                       const std::string place = std::string(location) + "/" + NewUuid() + "/é +%";
                       f.store = *OpenLocation(place, {.s3 = options}, FolderAccess::kShared);
                     }});
  }
  return kinds;
}

class StoreTest : public testing::TestWithParam<Kind> {
 protected:
  StoreTest() { GetParam().open(fixture_); }
  Store& store() const { return *fixture_.store; }

  std::vector<std::string> Keys(std::string_view prefix) {
    auto listed = store().List(prefix);
    EXPECT_TRUE(listed);
    std::vector<std::string> keys;
    for (const ObjectInfo& info : *listed) keys.push_back(info.key);
    return keys;
  }

  Fixture fixture_;
};

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(StoreTest, PutIfAbsentStoresOnce) {
  EXPECT_EQ(*store().PutIfAbsent("a/b/c", "one"), PutOutcome::kStored);
  EXPECT_EQ(*store().PutIfAbsent("a/b/c", "two"), PutOutcome::kExists);
  EXPECT_EQ(*store().PutIfAbsent("a/b/c", "one"), PutOutcome::kExists);
  EXPECT_EQ(*store().Get("a/b/c"), "one");
}

TEST_P(StoreTest, PutReplaces) {
  ASSERT_TRUE(store().Put("hint", "one"));
  ASSERT_TRUE(store().Put("hint", "a longer two"));
  EXPECT_EQ(*store().Get("hint"), "a longer two");
  EXPECT_EQ(store().Head("hint")->size, 12);
}

TEST_P(StoreTest, ObjectsHoldAnyBytes) {
  const std::string bytes("\0\n\xff", 3);
  ASSERT_TRUE(store().PutIfAbsent("bytes", bytes));
  EXPECT_EQ(*store().Get("bytes"), bytes);
  ASSERT_TRUE(store().PutIfAbsent("empty", ""));
  EXPECT_EQ(*store().Get("empty"), "");
  const std::string large(3 << 20, 'x');
  ASSERT_TRUE(store().PutIfAbsent("large", large));
  EXPECT_EQ(*store().Get("large"), large);
}

TEST_P(StoreTest, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(store().Get("no/such").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(store().Head("no/such").error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(store().Delete("no/such"));
  ASSERT_TRUE(store().PutIfAbsent("a/b", ""));
  EXPECT_EQ(store().Get("a").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(store().Head("a").error().kind, ErrorKind::kNotFound);
}

TEST_P(StoreTest, ListsByPrefixInOrder) {
  for (const char* key : {"w/b/2", "w/b/10", "w/a/1", "w/ab", "x", "wide/1"}) {
    ASSERT_TRUE(store().PutIfAbsent(key, key));
  }
  EXPECT_THAT(Keys(""), ElementsAre("w/a/1", "w/ab", "w/b/10", "w/b/2", "wide/1", "x"));
  EXPECT_THAT(Keys("w/"), ElementsAre("w/a/1", "w/ab", "w/b/10", "w/b/2"));
  EXPECT_THAT(Keys("w"), ElementsAre("w/a/1", "w/ab", "w/b/10", "w/b/2", "wide/1"));
  EXPECT_THAT(Keys("w/a"), ElementsAre("w/a/1", "w/ab"));
  EXPECT_THAT(Keys("w/b/1"), ElementsAre("w/b/10"));
  EXPECT_THAT(Keys("none/at/all"), IsEmpty());
  EXPECT_THAT(Keys("x/y"), IsEmpty());
  EXPECT_EQ(store().List("w/a/")->front().size, 5);
  EXPECT_GT(store().List("w/a/")->front().modified_ms, 1'700'000'000'000);
}

TEST_P(StoreTest, DeletedNamesCanBeUsedAgain) {
  ASSERT_TRUE(store().PutIfAbsent("a/b/c", "one"));
  ASSERT_TRUE(store().Delete("a/b/c"));
  EXPECT_THAT(Keys(""), IsEmpty());
  EXPECT_EQ(*store().PutIfAbsent("a/b/c", "two"), PutOutcome::kStored);
  EXPECT_EQ(*store().Get("a/b/c"), "two");
}

TEST_P(StoreTest, AStreamAppearsWhenItIsFinished) {
  auto stream = store().Create("data/part-1");
  ASSERT_TRUE(stream);
  std::string expected;
  for (int i = 0; i < 1'000; ++i) {
    const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    ASSERT_TRUE((*stream)->Append(piece));
    expected += piece;
  }
  const std::string large(200'000, 'z');
  ASSERT_TRUE((*stream)->Append(large));
  expected += large;
  EXPECT_EQ((*stream)->size(), static_cast<std::int64_t>(expected.size()));
  EXPECT_THAT(Keys(""), IsEmpty());
  ASSERT_TRUE((*stream)->Finish());
  stream = InvalidInput("closed");
  EXPECT_THAT(Keys(""), ElementsAre("data/part-1"));
  EXPECT_EQ(*store().Get("data/part-1"), expected);
}

TEST_P(StoreTest, AStreamThatIsDroppedLeavesNothing) {
  {
    auto stream = store().Create("data/part-1");
    ASSERT_TRUE(stream && (*stream)->Append("half"));
  }
  EXPECT_THAT(Keys(""), IsEmpty());
}

TEST_P(StoreTest, AStreamDoesNotReplaceWhatIsThere) {
  ASSERT_TRUE(store().PutIfAbsent("taken", "first"));
  auto stream = store().Create("taken");
  ASSERT_TRUE(stream && (*stream)->Append("second"));
  EXPECT_EQ((*stream)->Finish().error().kind, ErrorKind::kConflict);
  EXPECT_EQ(*store().Get("taken"), "first");
}

TEST_P(StoreTest, WrongKeysAreRefused) {
  const std::string with_nul("a\0b", 3);
  for (const std::string& key :
       {std::string(), std::string("/etc/passwd"), std::string("a//b"), std::string("a/"),
        std::string("."), std::string(".."), std::string("../x"), std::string("a/../../x"),
        std::string("a/./b"), std::string(".weir-tmp/x"), with_nul}) {
    EXPECT_EQ(store().PutIfAbsent(key, "").error().kind, ErrorKind::kInvalidInput) << key;
    EXPECT_EQ(store().Put(key, "").error().kind, ErrorKind::kInvalidInput) << key;
    EXPECT_EQ(store().Get(key).error().kind, ErrorKind::kInvalidInput) << key;
    EXPECT_EQ(store().Head(key).error().kind, ErrorKind::kInvalidInput) << key;
    EXPECT_EQ(store().Delete(key).error().kind, ErrorKind::kInvalidInput) << key;
    EXPECT_EQ(store().Create(key).error().kind, ErrorKind::kInvalidInput) << key;
  }
  EXPECT_EQ(store().List("../").error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(store().List("/").error().kind, ErrorKind::kInvalidInput);
}

TEST_P(StoreTest, OfManyRacersOneWins) {
  constexpr int kRacers = 8;
  for (int round = 0; round < 10; ++round) {
    const std::string key = "race/" + std::to_string(round);
    std::atomic<int> winners{0};
    std::atomic<int> winner{-1};
    std::vector<std::thread> racers;
    racers.reserve(kRacers);
    for (int i = 0; i < kRacers; ++i) {
      racers.emplace_back([&, i] {
        const auto outcome = store().PutIfAbsent(key, std::to_string(i));
        if (outcome && *outcome == PutOutcome::kStored) {
          ++winners;
          winner = i;
        }
      });
    }
    for (std::thread& racer : racers) racer.join();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(*store().Get(key), std::to_string(winner));
  }
}

// Deleting the last object of a folder must not trip whoever puts the next one there.
TEST_P(StoreTest, PutsAndDeletesInOneFolderDoNotDisturbEachOther) {
  std::atomic<int> failures{0};
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) {
        const std::string key = "deep/er/" + std::to_string(i) + "-" + std::to_string(n);
        const auto outcome = store().PutIfAbsent(key, "x");
        if (!outcome || *outcome != PutOutcome::kStored) ++failures;
        if (!store().List("deep/")) ++failures;
        if (!store().Delete(key)) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_THAT(Keys(""), IsEmpty());
}

TEST_P(StoreTest, SeveralNewObjectsAtOnce) {
  const std::vector<NewObject> objects = {
      {"deep/er/a", "1"}, {"deep/er/b", ""}, {"deep/c", "333"}, {"d", "4"}, {"deep/er/e", "5"}};
  ASSERT_TRUE(store().PutNew(objects));
  for (const NewObject& object : objects) EXPECT_EQ(*store().Get(object.key), object.bytes);
  EXPECT_EQ(Keys("").size(), objects.size());
  EXPECT_TRUE(store().PutNew(objects));  // an earlier try of one's own
  const std::vector<NewObject> others = {{"deep/f", "6"}, {"deep/c", "other"}};
  const Status put = store().PutNew(others);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(*store().Get("deep/c"), "333");
  EXPECT_TRUE(store().PutNew({}));
}

TEST_P(StoreTest, WhetherAnObjectIsThere) {
  ASSERT_TRUE(store().PutIfAbsent("folder/k", "x"));
  EXPECT_TRUE(*store().IsThere("folder/k"));
  EXPECT_FALSE(*store().IsThere("folder"));
  EXPECT_FALSE(*store().IsThere("folder/other"));
  EXPECT_FALSE(*store().IsThere("folder/k/below"));
}

TEST_P(StoreTest, OddKeysAreKept) {
  const std::vector<std::string> keys = {"a b+c=d%20e&f.txt", "q'(1)!*.p", "year=2026/h=01/x~y",
                                         "ünï-日本",          "plus+plus", "percent%2Fslash",
                                         "a;b@c,d$e:f"};
  for (const std::string& key : keys) {
    ASSERT_EQ(*store().PutIfAbsent(key, key), PutOutcome::kStored) << key;
    EXPECT_EQ(*store().Get(key), key);
    EXPECT_EQ(store().Head(key)->size, static_cast<std::int64_t>(key.size()));
  }
  EXPECT_EQ(Keys("").size(), keys.size());
  for (const std::string& key : Keys("")) {
    EXPECT_EQ(std::ranges::count(keys, key), 1) << key;
  }
  ASSERT_TRUE(store().DeleteAll(keys));
  EXPECT_THAT(Keys(""), IsEmpty());
}

TEST_P(StoreTest, RangesOfAnObject) {
  ASSERT_TRUE(store().PutIfAbsent("k", "0123456789"));
  EXPECT_EQ(*store().GetRange("k", 2, 3), "234");
  EXPECT_EQ(*store().GetRange("k", 8, 100), "89");
  EXPECT_EQ(*store().GetRange("k", 10, 1), "");
  EXPECT_EQ(store().GetRange("none", 0, 1).error().kind, ErrorKind::kNotFound);
}

TEST_P(StoreTest, ALongStreamIsWhole) {
  auto stream = store().Create("long");
  ASSERT_TRUE(stream);
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    const std::string piece(1 << 20, static_cast<char>('a' + i));
    ASSERT_TRUE((*stream)->Append(piece));
    expected += piece;
  }
  (*stream)->BeginFinish();
  ASSERT_TRUE((*stream)->Finish());
  EXPECT_EQ(*store().Get("long"), expected);
  // One that is dropped, or comes second, leaves nothing.
  for (const bool finish : {false, true}) {
    auto other = store().Create(finish ? "long" : "other");
    ASSERT_TRUE(other && (*other)->Append(expected));
    if (!finish) continue;
    EXPECT_EQ((*other)->Finish().error().kind, ErrorKind::kConflict);
  }
  EXPECT_THAT(Keys(""), ElementsAre("long"));
  ASSERT_TRUE(store().Discard("long"));
  EXPECT_THAT(Keys(""), IsEmpty());
}

TEST_P(StoreTest, TheProbeAcceptsIt) {
  EXPECT_TRUE(ProbePutIfAbsent(store()));
  EXPECT_THAT(Keys(""), IsEmpty());
}

// A store that forgets what "if absent" means.
class CarelessStore final : public Store {
 public:
  explicit CarelessStore(Store& inner) : inner_(inner) {}
  Result<PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override {
    WEIR_TRY(inner_.Put(key, bytes));
    return PutOutcome::kStored;
  }
  Status Put(std::string_view key, std::string_view bytes) override {
    return inner_.Put(key, bytes);
  }
  Result<std::string> Get(std::string_view key) override { return inner_.Get(key); }
  Result<ObjectInfo> Head(std::string_view key) override { return inner_.Head(key); }
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) override {
    return inner_.List(prefix);
  }
  Status Delete(std::string_view key) override { return inner_.Delete(key); }
  Result<std::unique_ptr<OutputStream>> Create(std::string_view key) override {
    return inner_.Create(key);
  }
  std::string Describe() const override { return "careless"; }

 private:
  Store& inner_;
};

TEST(ProbePutIfAbsent, RefusesAStoreThatAcceptsANameTwice) {
  const auto memory = NewMemoryStore();
  CarelessStore careless(*memory);
  const Status probed = ProbePutIfAbsent(careless);
  ASSERT_FALSE(probed);
  EXPECT_EQ(probed.error().code, ErrorCode::kStoreUnsafe);
  EXPECT_THAT(probed.error().message, HasSubstr("careless"));
}

TEST(MemoryStore, DatesObjectsByItsClock) {
  ManualClock clock(5 * kMicrosPerSecond);
  const auto store = NewMemoryStore(clock);
  ASSERT_TRUE(store->PutIfAbsent("a", ""));
  EXPECT_EQ(store->Head("a")->modified_ms, 5'000);
}

}  // namespace
}  // namespace weir::io
