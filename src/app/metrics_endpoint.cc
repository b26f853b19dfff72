#include "app/metrics_endpoint.h"

#include <fmt/format.h>

#include "app/build_info.h"
#include "base/log.h"

namespace weir::app {

Result<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Open(const config::PipelineSpec& spec) {
  if (!spec.metrics) return std::unique_ptr<MetricsEndpoint>();
  auto endpoint = std::make_unique<MetricsEndpoint>(spec);
  MetricsEndpoint& self = *endpoint;
  WEIR_ASSIGN_OR_RETURN(self.server_, api::Server::Listen(spec.metrics->host, spec.metrics->port,
                                                          [&self](std::string_view path) {
                                                            return self.AnswerTo(path);
                                                          }));
  log::Info(fmt::format("metrics at http://{}:{}/metrics", spec.metrics->host, spec.metrics->port));
  return endpoint;
}

MetricsEndpoint::MetricsEndpoint(const config::PipelineSpec& spec)
    : metrics_({.version = std::string(ProgramVersion()),
                .commit = std::string(GitCommit()),
                .pipeline = spec.name,
                .topic = spec.source.topic}) {}

void MetricsEndpoint::Watch(const MeteredSource* source) {
  const std::lock_guard lock(mutex_);
  if (source_ != nullptr) read_before_ += source_->records();
  source_ = source;
}

api::Answer MetricsEndpoint::AnswerTo(std::string_view path) {
  if (path == "/metrics") {
    return {.content_type = std::string(api::RunMetrics::kContentType),
            .body = metrics_.Text(Read())};
  }
  if (path == "/healthz") return {.body = "ok\n"};
  if (path == "/readyz") {
    const std::lock_guard lock(mutex_);
    if (source_ != nullptr) return {.body = "ok\n"};
    return {.status = 503, .body = "the pipeline has not started\n"};
  }
  return {.status = 404, .body = "there are /metrics, /healthz and /readyz\n"};
}

api::SourceReading MetricsEndpoint::Read() {
  const std::lock_guard lock(mutex_);
  if (source_ == nullptr) return {.records = read_before_, .lag = 0, .waiting = {}};
  return {.records = read_before_ + source_->records(),
          .lag = source_->lag(),
          .waiting = source_->waiting()};
}

}  // namespace weir::app
