#include "dojima/book/ladder_queue.hpp"
#include "dojima/book/matching.hpp"

namespace dojima::book {

template class BasicBook<LadderQueue>;

}  // namespace dojima::book
