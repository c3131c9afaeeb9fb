#include "dojima/book/intrusive_queue.hpp"
#include "dojima/book/matching.hpp"

namespace dojima::book {

template class BasicBook<IntrusiveQueue>;

}  // namespace dojima::book
