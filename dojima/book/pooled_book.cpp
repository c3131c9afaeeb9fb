#include "dojima/book/list_map_queue.hpp"
#include "dojima/book/matching.hpp"

namespace dojima::book {

template class BasicBook<PooledQueue>;

}  // namespace dojima::book
