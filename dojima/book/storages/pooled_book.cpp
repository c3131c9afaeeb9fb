#include "dojima/book/matching/matching.hpp"
#include "dojima/book/storages/list_map_queue.hpp"

namespace dojima::book {

template class BookData<PooledQueue>;
template class BookChecks<PooledQueue>;
template class BookPlaces<PooledQueue>;
template class BookAuctions<PooledQueue>;
template class BookMatching<PooledQueue>;
template class BookWaiting<PooledQueue>;
template class BookGeneralPath<PooledQueue>;
template class BookFastPath<PooledQueue>;
template class BookMirror<PooledQueue>;
template class BasicBook<PooledQueue>;

}  // namespace dojima::book
