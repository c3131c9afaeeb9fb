#include "dojima/book/matching/matching.hpp"
#include "dojima/book/storages/list_map_queue.hpp"

namespace dojima::book {

template class BookData<MapQueue>;
template class BookChecks<MapQueue>;
template class BookPlaces<MapQueue>;
template class BookAuctions<MapQueue>;
template class BookMatching<MapQueue>;
template class BookWaiting<MapQueue>;
template class BookGeneralPath<MapQueue>;
template class BookFastPath<MapQueue>;
template class BookMirror<MapQueue>;
template class BasicBook<MapQueue>;

}  // namespace dojima::book
