// The venue, installed: a report log is made and a segment is judged. Exit status 0 when all came as expected.

#include "dojima/venue/report_log.hpp"
#include "dojima/venue/segment.hpp"

int main() {
  const dojima::venue::ReportLog log(1024);
  const dojima::venue::Segment nameless;
  return dojima::venue::complaint(nameless) != nullptr ? 0 : 1;
}
