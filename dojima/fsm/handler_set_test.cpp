#include "dojima/fsm/handler_set.hpp"

#include <gtest/gtest.h>
#include <string>

#include "dojima/fsm/machine.hpp"

namespace dojima::fsm {
namespace {

enum class Room : unsigned char { open, closed };
enum class Knock : unsigned char { request, end };

struct NewOrder {
  int quantity = 0;
};
struct CancelOrder {
  std::string id;
};
struct Question {};

struct Desk {
  std::string said;
  void on_new(const NewOrder& order) { said += "new " + std::to_string(order.quantity) + ";"; }
  void on_cancel(const CancelOrder& order) { said += "cancel " + order.id + ";"; }
};

struct Answer {
  void process(Desk& desk, const NewOrder& order) const { desk.on_new(order); }
  void process(Desk& desk, const CancelOrder& order) const { desk.on_cancel(order); }
  template <class Here>
  void process(Desk& desk, const Question&, const Here& here) const {
    desk.said += here.state == Room::open ? "open;" : "closed;";
  }
};

struct OverloadedRows {
  using State = Room;
  using Event = Knock;
  static constexpr State initial = Room::open;
  using rows =
      Rows<Row<Room::open, Knock::request, keep_state, processed_by<Answer>>, Row<Room::open, Knock::end, Room::closed>,
           Row<Room::closed, match_all, keep_state, processed_by<Answer>>>;
};

TEST(HandlerSet, one_row_answers_each_message_with_the_overload_for_it) {
  Desk desk;
  Machine<OverloadedRows, Desk> machine(desk);
  machine.process(Knock::request, NewOrder{5});
  machine.process(Knock::request, CancelOrder{"A1"});
  machine.process(Knock::request, Question{});
  machine.process(Knock::end, Question{});
  EXPECT_TRUE(machine.process(Knock::request, Question{}).is_handled());
  EXPECT_EQ(desk.said, "new 5;cancel A1;open;closed;");
}

struct FirstOfRows {
  using State = Room;
  using Event = Knock;
  static constexpr State initial = Room::open;
  using rows = Rows<Row<Room::open, Knock::request, keep_state, first_of<&Desk::on_new, &Desk::on_cancel>>,
                    Row<Room::open, Knock::end, Room::closed>, Row<Room::closed, Knock::end, keep_state>>;
};

TEST(HandlerSet, functions_that_are_there_already_make_a_set) {
  Desk desk;
  Machine<FirstOfRows, Desk> machine(desk);
  machine.process(Knock::request, CancelOrder{"B2"});
  machine.process(Knock::request, NewOrder{7});
  EXPECT_EQ(desk.said, "cancel B2;new 7;");
}

}  // namespace
}  // namespace dojima::fsm
