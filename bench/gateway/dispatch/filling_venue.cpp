#include "filling_venue.hpp"

#include <stdexcept>

namespace dojima::bench {

void FillingVenue::on_new_order(mit::ServerSession& session, market::NewOrder& order, time::Time now) {
  market::OwnerReport report;
  report.sequence = {++last_};
  report.time = now;
  report.order = report.public_order = {last_};
  report.execution = (std::uint64_t{1} << 60) | last_;
  report.trade = last_;
  report.client_order_id = order.labels.client_order_id;
  report.partition = 1;
  report.instrument = order.header.instrument;
  report.kind = market::OwnerReportKind::traded;
  report.status = market::OrderStatus::filled;
  report.side = order.terms.side;
  report.capacity = order.terms.capacity;
  report.quantity = order.terms.quantity;
  report.price = order.terms.limit;
  report.liquidity = 'A';
  report.last_market = 21;
  if (!session.send(report)) throw std::runtime_error("the venue's connection is full");
}

}  // namespace dojima::bench
