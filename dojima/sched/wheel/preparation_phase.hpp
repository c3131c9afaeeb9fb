#pragma once

// Where a run wheel refills its run from once it is empty: what follows the run's end in time.
//
//               a slot is opened                                a sub-slot is opened
//                   +-----+                                          +-----+
//                   |     v      the run is spilled                  |     v
//                   +---[ring]----------------------------------->+--[rungs]<-------------+
//                       |  ^                                      |   |  |                | all is moved:
//   a slot is too dense |  |  the last rung is empty              |   |  | a sub-slot     | one rung deeper
//                       |  +--------------------------------------|---+  | is too dense   |
//                       v                                         |      v                |
//              [splitting_slot]-----------------------------------+   [splitting_sub_slot]+
//                               all is moved: the first rung
//
// A split may take several goes; it is finished at once when the run has to be spilled meanwhile. Whether the far wheel
// has cascaded as far as the ring reaches is no phase: its frontier says so, and it may lag in any of them.

#include <cstdint>

#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/wheel/chunk_list.hpp"

namespace dojima::sched {

enum class PreparationPhase : std::uint8_t {
  ring,                // no rung is open: the next slot, or what the far wheel has
  rungs,               // the next sub-slot of the deepest rung
  splitting_slot,      // a slot of the ring is being moved to the first rung
  splitting_sub_slot,  // a sub-slot of the deepest rung is being moved to a deeper one
};

/// The list that is being moved to the next rung, in the two phases of that.
struct ListSplit {
  ChunkList* list;      // newcomers are still appended to it
  std::uint64_t index;  // of the slot, or the sub-slot
  Instant end;
};

}  // namespace dojima::sched
