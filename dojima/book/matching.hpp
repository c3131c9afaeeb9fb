#pragma once

// The bodies of BasicBook, for the one .cpp per storage that instantiates it. Nobody else includes this.

#include "dojima/book/book_auction.hpp"
#include "dojima/book/book_checks.hpp"
#include "dojima/book/book_commands.hpp"
#include "dojima/book/book_matching.hpp"
#include "dojima/book/book_mirror.hpp"
#include "dojima/book/book_phases.hpp"
#include "dojima/book/book_places.hpp"
#include "dojima/book/book_views.hpp"
