// Keys of event time: the watermark, and what tables make of it.

#include "base/time.h"
#include "config/keys.h"

namespace weir::config {
namespace {

using enum ValueKind;

constexpr Micros kShortest = kMicrosPerMilli;
constexpr Micros kLongest = 36'500 * kMicrosPerDay;

constexpr KeyDescriptor kWatermarkTable[] = {
    {.key = "delay",
     .kind = kDuration,
     .doc = "how far event time stays behind the latest event of a partition; a row further behind "
            "is late",
     .required = true,
     .max = kLongest},
    {.key = "idle_after",
     .kind = kDuration,
     .doc = "a partition that was read to its end and has had no valid event for so long no longer "
            "holds the others back; without it a silent partition holds them for ever",
     .min = kShortest,
     .max = kLongest},
    {.key = "max_future",
     .kind = kDuration,
     .doc =
         "an event that is further ahead of its ingestion is invalid; without it one wrong clock "
         "makes all others late",
     .max = kLongest},
    {.key = "on_silence",
     .kind = kChoice,
     .doc = "when all partitions are idle: `hold` = event time waits for the next event, `advance` "
            "= it follows the clock, so that the last windows and sessions close",
     .fallback = "hold",
     .choices = "hold|advance"},
};

constexpr KeyDescriptor kDedupeTable[] = {
    {.key = "key",
     .kind = kTexts,
     .doc = "the columns that tell events apart; required ones",
     .required = true},
    {.key = "horizon",
     .kind = kDuration,
     .doc =
         "how far behind the watermark a key is remembered; the watermark's `delay` unless given",
     .max = kLongest},
    {.key = "mode",
     .kind = kChoice,
     .doc =
         "`exact`, or `compact`: half the memory, and a false duplicate once in a very long while",
     .fallback = "exact",
     .choices = "exact|compact"},
};

constexpr KeyDescriptor kWindowTable[] = {
    {.key = "size",
     .kind = kDuration,
     .doc = "the length of a window",
     .required = true,
     .min = kShortest,
     .max = kLongest},
    {.key = "offset",
     .kind = kDuration,
     .doc =
         "windows begin so long after 1970-01-01T00:00:00Z and its multiples of `size`; less than "
         "`size`",
     .fallback = "0s",
     .max = kLongest},
    {.key = "by", .kind = kTexts, .doc = "the columns that rows are grouped by"},
    {.key = "aggregates",
     .kind = kTextMap,
     .doc = "the columns after window_start and window_end: name -> count, count_distinct(c), "
            "sum(c), min(c), max(c) or avg(c); one column `count` unless given"},
};

constexpr KeyDescriptor kSessionTable[] = {
    {.key = "by",
     .kind = kText,
     .doc = "the column whose events belong together; a required one",
     .required = true},
    {.key = "gap",
     .kind = kDuration,
     .doc = "events at most so far apart belong to one session",
     .required = true,
     .min = kShortest,
     .max = kLongest},
    {.key = "split",
     .kind = kChoice,
     .doc = "a session never crosses such a border (UTC), which bounds what a robot can build up",
     .fallback = "none",
     .choices = "none|hour|day"},
    {.key = "page",
     .kind = kText,
     .doc = "the column of entry_page and exit_page; `page_url` unless given, where there is one"},
    {.key = "first",
     .kind = kTexts,
     .doc = "columns whose value of the first event is kept as first_NAME"},
    {.key = "last",
     .kind = kTexts,
     .doc = "columns whose value of the last event is kept as last_NAME"},
    {.key = "value",
     .kind = kMapping,
     .doc = "what order_value adds up; price * quantity of `purchase` events unless given, where "
            "there are such",
     .mapping = &kSessionValueKeys},
};

constexpr KeyDescriptor kSessionValueTable[] = {
    {.key = "event", .kind = kText, .doc = "the event type of an order", .required = true},
    {.key = "price", .kind = kText, .doc = "the decimal column that is summed", .required = true},
    {.key = "quantity",
     .kind = kText,
     .doc =
         "the int or long column that the price is multiplied by; 1 where it is null or not given"},
};

constexpr KeyDescriptor kFunnelTable[] = {
    {.key = "steps", .kind = kTexts, .doc = "event types in their order", .required = true},
    {.key = "size",
     .kind = kDuration,
     .doc = "sessions are counted in windows of this length, by their start",
     .fallback = "1d",
     .min = kShortest,
     .max = kLongest},
};

constexpr KeyDescriptor kActiveUserTable[] = {
    {.key = "user", .kind = kText, .doc = "the column that names the user", .required = true},
};

constexpr KeyDescriptor kSessionStatsTable[] = {
    {.key = "size",
     .kind = kDuration,
     .doc = "sessions are counted in windows of this length, by their end",
     .fallback = "1d",
     .min = kShortest,
     .max = kLongest},
};

}  // namespace

constinit const MappingDescriptor kWatermarkKeys = {
    .name = "watermark",
    .title = "watermark",
    .doc =
        "How event time moves. The watermark of a partition is its latest event time less `delay`.",
    .keys = kWatermarkTable};
constinit const MappingDescriptor kDedupeKeys = {
    .name = "dedupe",
    .title = "tables.NAME.dedupe",
    .doc = "The first event of a key is kept, its copies are counted.",
    .keys = kDedupeTable};
constinit const MappingDescriptor kWindowKeys = {
    .name = "windows",
    .title = "tables.NAME.windows",
    .doc =
        "Aggregates over tumbling windows of event time (UTC); a row is written once, when its "
        "window is closed.",
    .keys = kWindowTable};
constinit const MappingDescriptor kSessionKeys = {
    .name = "sessions",
    .title = "tables.NAME.sessions",
    .doc =
        "One row a session. Rows of open sessions are replaced by each commit. The table is "
        "partitioned by is_open and source_partition.",
    .keys = kSessionTable};
constinit const MappingDescriptor kSessionValueKeys = {
    .name = "session_value",
    .title = "tables.NAME.sessions.value",
    .doc = "order_value = the sum of price * quantity over the events of one type.",
    .keys = kSessionValueTable};
constinit const MappingDescriptor kFunnelKeys = {
    .name = "funnel",
    .title = "tables.NAME.funnel",
    .doc =
        "How many sessions reached each step, over the sessions table. The table is partitioned "
        "by is_final.",
    .keys = kFunnelTable};
constinit const MappingDescriptor kActiveUserKeys = {
    .name = "active_users",
    .title = "tables.NAME.active_users",
    .doc = "Distinct users of the last 5 and 30 minutes, a row a minute.",
    .keys = kActiveUserTable};
constinit const MappingDescriptor kSessionStatsKeys = {
    .name = "session_stats",
    .title = "tables.NAME.session_stats",
    .doc =
        "Number, median and 90th percentile of duration, and bounces of closed sessions, over the "
        "sessions table.",
    .keys = kSessionStatsTable};

}  // namespace weir::config
