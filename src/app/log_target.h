#pragma once
// LogTarget: the topic that `weir produce`, `tail` and `generate` work on: of a broker, of an
// embedded log, or the source of a pipeline file.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/session.h"
#include "base/clock.h"
#include "config/pipeline_spec.h"
#include "connect/log_source.h"

namespace weir::app {

/// As the command line has it.
struct LogTargetOptions {
  std::optional<std::string> topic;
  std::optional<std::string> brokers;
  std::optional<std::string> spool;
  std::optional<std::int64_t> partitions;  // of a topic that is created

  /// Whether anything names a target.
  bool named(const Session& session) const {
    return topic || brokers || spool || session.options.config;
  }
};

/// --topic, --brokers, --spool; with `writes` also --partitions.
std::vector<Option> MakeLogTargetOptions(LogTargetOptions& options, bool writes);

/// The target as the source of a pipeline, which is all that there is to know of it. kInvalidInput
/// WEIR0701 unless exactly one target is named; an error of the pipeline file.
Result<config::SourceSpec> ResolveLogTarget(const LogTargetOptions& options, Session& session);

/// Creates the topic where that was asked for; an embedded log always creates it.
Result<std::unique_ptr<connect::LogSink>> OpenSink(const config::SourceSpec& target,
                                                   std::optional<std::int64_t> partitions);
Result<std::unique_ptr<connect::LogSource>> OpenReader(const config::SourceSpec& target,
                                                       bool want_headers);

/// Describes a topic and waits that long for it to be there.
Result<connect::TopicInfo> DescribePatiently(connect::LogSource& source, Clock& clock, Micros limit,
                                             std::stop_token stop);

}  // namespace weir::app
