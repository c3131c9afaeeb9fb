#include "dojima/book/matching/matching.hpp"
#include "dojima/book/queues/ladder_queue.hpp"

namespace dojima::book {

template class BookData<LadderQueue>;
template class BookChecks<LadderQueue>;
template class BookPlaces<LadderQueue>;
template class BookAuctions<LadderQueue>;
template class BookMatching<LadderQueue>;
template class BookWaiting<LadderQueue>;
template class BookGeneralPath<LadderQueue>;
template class BookFastPath<LadderQueue>;
template class BookMirror<LadderQueue>;
template class BasicBook<LadderQueue>;

}  // namespace dojima::book
