#include "dojima/book/matching/matching.hpp"
#include "dojima/book/queues/ladder_queue.hpp"

namespace dojima::book {

template class BasicBook<LadderQueue>;

}  // namespace dojima::book
