#pragma once

// One side of a pair: a machine with a disk, and the process on it while there is one: stores, session, initiator or
// acceptor, and an application that sends numbered orders and keeps its ledger. The process may end at any instant,
// also in the middle of any call, and begins again on what its disk and its ledger have.

#include "tests/fix_cases/pair_ledger.hpp"
#include "tests/fix_cases/pair_random.hpp"
#include "tests/fix_cases/pair_wire.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/initiator.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::pairs {

using time::Time;

inline const link::Address k_venue{"venue", 1};

/// What is different from seed to seed.
struct Shape {
  journal::Durability durability = journal::Durability::process;
  bool has_faults = false;  ///< disks fail and fill up, and the thread of the journal comes late
  time::Duration worker_delay{};
  std::uint64_t damage_stride = 0;
  fix::SessionConfig config{};
};

struct Surroundings {
  sched::Scheduler& scheduler;
  link::SimulatedNetwork& network;
  const Shape& shape;
  std::string& failure;  ///< what was wrong first
  fix::MessageLog* log = nullptr;
};

struct Counts {
  std::uint64_t deaths = 0, logons = 0, troubles = 0, refusals = 0, failed_starts = 0;
};

class Process final : private link::Fabric, private link::Acceptor, private fix::Handler {
 public:
  Process(Surroundings around, fix::Role role, std::uint64_t seed);
  ~Process();

  /// For the two sides of a pair; `seen_by_peer` are the numbers that the other side has received, whatever it keeps.
  void set_peer(Process& peer) { peer_ = &peer; }

  // ---------------------------------------------------------------------------------------------- what happens to it
  void start(Time now);
  /// The process ends now, at some instant soon, or in front of some call of its disk; with the power or without.
  void kill();
  /// It ends in order, as a program that is stopped.
  void shut_down(Time now);
  /// Behind every instant: the end of a process is noticed, and what its loop does at the end of a turn.
  void finish_instant(Time now);
  /// A disk that fails for a while; `heal` ends it.
  void trouble_disk();
  void heal();
  /// Nothing happens to it from now on.
  void spare();
  /// The application takes no more than this for orders; 0: it rests.
  void send_until(std::uint64_t orders) { orders_most_ = orders; }
  void log_out();
  void cut();
  void pause(bool is_paused);

  [[nodiscard]] bool is_up() const { return session_ != nullptr; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Why the last start failed; empty: it did not.
  /// What may keep it from going on, for a person.
  [[nodiscard]] std::string condition() const;
  [[nodiscard]] const journal::SimulatedDisk& disk() const { return disk_; }
  /// Numbers that this side has received, whatever it remembers of it.
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

 private:
  void connect(const link::Address& address, link::Connection& connection) override;
  [[nodiscard]] Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor) override;
  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  void on_logon(fix::Session& session, Time now) override;
  void on_logout(fix::Session& session, std::string_view reason, Time now) override;
  void on_message(fix::Session& session, const fix::MessageView& message, Time now) override;
  void on_reject(fix::Session& session, const fix::MessageView& reject, Time now) override;
  void on_trouble(fix::Session& session, const Error& error) override;

  [[nodiscard]] bool open_stores();
  void send_order(Time now);
  void bury(Time now);
  void clear(Time now);
  void note_promise();
  void fail(std::string what);
  [[nodiscard]] Wire& free_wire();

  void on_restart(Time now);
  void on_work(Time now);
  void on_orders(Time now);
  void on_zombies(Time now);

  /// What the records up to one say of the next incoming number.
  struct Promise {
    journal::Sequence record;
    std::uint64_t due = 1;
  };

  Surroundings around_;
  fix::Role role_;
  Random random_;
  Process* peer_ = nullptr;
  journal::SimulatedDisk disk_;
  Ledger ledger_;
  Counts counts_;
  Fuse fuse_{disk_};
  std::string start_trouble_;
  std::uint64_t orders_most_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t promised_ = 1;
  std::deque<Promise> promises_;

  std::vector<std::unique_ptr<Wire>> wires_;
  std::unique_ptr<fix::JournalStores> stores_;
  std::unique_ptr<fix::Session> session_;
  std::unique_ptr<fix::Initiator> initiator_;
  std::unique_ptr<fix::SessionAcceptor> acceptor_;
  journal::Sequence worked_;  // the last record when the journal's thread had nothing more to do

  sched::TimerOf<&Process::on_restart> restart_;
  sched::TimerOf<&Process::on_work> work_;
  sched::TimerOf<&Process::on_orders> orders_;
  sched::TimerOf<&Process::on_zombies> zombies_;
};

}  // namespace dojima::pairs
