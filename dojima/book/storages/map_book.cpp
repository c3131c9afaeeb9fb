#include "dojima/book/matching/matching.hpp"
#include "dojima/book/storages/list_map_queue.hpp"

namespace dojima::book {

template class BasicBook<MapQueue>;

}  // namespace dojima::book
