#pragma once
// The descriptors of the pipeline file and of the contract file: all keys there are.
// Constant data; see descriptor.h for what they drive.

#include <span>

#include "config/descriptor.h"

namespace weir::config {

// Pipeline file.
extern const MappingDescriptor kPipelineKeys;
extern const MappingDescriptor kSourceKeys;
extern const MappingDescriptor kKafkaKeys;
extern const MappingDescriptor kSecurityKeys;
extern const MappingDescriptor kRegistryKeys;
extern const MappingDescriptor kLakeKeys;
extern const MappingDescriptor kS3Keys;
extern const MappingDescriptor kCatalogKeys;
extern const MappingDescriptor kRestKeys;
extern const MappingDescriptor kEpochKeys;
extern const MappingDescriptor kMetricsKeys;
extern const MappingDescriptor kWatermarkKeys;
extern const MappingDescriptor kTableKeys;
extern const MappingDescriptor kDedupeKeys;
extern const MappingDescriptor kWindowKeys;
extern const MappingDescriptor kSessionKeys;
extern const MappingDescriptor kSessionValueKeys;
extern const MappingDescriptor kFunnelKeys;
extern const MappingDescriptor kActiveUserKeys;
extern const MappingDescriptor kSessionStatsKeys;

// Contract file.
extern const MappingDescriptor kContractKeys;
extern const MappingDescriptor kFieldKeys;
extern const MappingDescriptor kNestedKeys;
extern const MappingDescriptor kEventTypeKeys;

/// All of them, in the order of the reference.
std::span<const MappingDescriptor* const> AllMappings();

}  // namespace weir::config
