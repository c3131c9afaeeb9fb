#pragma once

// The keys of a venue's drop copies: the channel, and who may read it.

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"

namespace dojima::app {

/// Section [drop_copy].
void describe_copy_channel(VenueConfig& config, ConfigVisitor& visitor);
/// Rows [[drop_copy_reader]]; behind those of the users.
void describe_copy_readers(VenueConfig& config, ConfigVisitor& visitor);

}  // namespace dojima::app
