#include "dojima/book/matching/matching.hpp"
#include "dojima/book/storages/intrusive_queue.hpp"

namespace dojima::book {

template class BookData<IntrusiveQueue>;
template class BookChecks<IntrusiveQueue>;
template class BookPlaces<IntrusiveQueue>;
template class BookAuctions<IntrusiveQueue>;
template class BookMatching<IntrusiveQueue>;
template class BookWaiting<IntrusiveQueue>;
template class BookGeneralPath<IntrusiveQueue>;
template class BookFastPath<IntrusiveQueue>;
template class BookMirror<IntrusiveQueue>;
template class BasicBook<IntrusiveQueue>;

}  // namespace dojima::book
