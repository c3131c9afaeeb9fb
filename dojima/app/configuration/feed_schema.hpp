#pragma once

// The keys of a venue's live market data.

#include "dojima/app/configuration/config_schema.hpp"
#include "dojima/app/feed/feed_config.hpp"

namespace dojima::app {

/// Those of [feed] besides `file`.
void describe_feed(FeedConfig& feed, ConfigVisitor& visitor);
/// A row of [[feed_reader]]; `files`: as of describe_password().
void describe_feed_reader(FeedReaderConfig& reader, SecretFiles& files, ConfigVisitor& visitor);
/// What concerns several of them; from the top section.
void check_feed(const FeedConfig& feed, ConfigVisitor& visitor);

}  // namespace dojima::app
