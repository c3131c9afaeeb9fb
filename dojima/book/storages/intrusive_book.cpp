#include "dojima/book/matching/matching.hpp"
#include "dojima/book/storages/intrusive_queue.hpp"

namespace dojima::book {

template class BasicBook<IntrusiveQueue>;

}  // namespace dojima::book
