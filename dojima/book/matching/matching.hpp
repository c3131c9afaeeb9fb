#pragma once

// The bodies of BasicBook, for the one .cpp per storage that instantiates it. Nobody else includes this.

#include "dojima/book/matching/beside_special.hpp"
#include "dojima/book/matching/book_auction.hpp"
#include "dojima/book/matching/book_checks.hpp"
#include "dojima/book/matching/book_data.hpp"
#include "dojima/book/matching/book_matching.hpp"
#include "dojima/book/matching/book_mirror.hpp"
#include "dojima/book/matching/book_phases.hpp"
#include "dojima/book/matching/book_places.hpp"
#include "dojima/book/matching/book_state.hpp"
#include "dojima/book/matching/book_views.hpp"
#include "dojima/book/matching/book_waiting.hpp"
#include "dojima/book/matching/fast_path.hpp"
#include "dojima/book/matching/general_path.hpp"
#include "dojima/book/matching/shared_levels.hpp"
