#pragma once

// A host that takes time: one server in front of all sessions of a program, so that virtual time knows load. What
// arrives is cut into messages; each waits until those that came before it, on any connection, have been served, is
// served for as long as a `ServiceModel` says, and is handed to its session when its service ends. So what the session
// answers leaves then. Messages of no service still wait for their turn. Under it lies any fabric in virtual time;
// sessions do not notice. First come, first served: start = max(arrival, end of the one before), later and for longer
// where the host's thread is interrupted.
//
//   BusyHost host(network, scheduler, model);           // model.take(bytes, is_accepted) says size and service
//   gateway::Gateway gateway(config, host, scheduler);  // a program on that host
//
// One thread. Memory is taken when connections are made, and when more messages wait than ever did.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/link/connection.hpp"
#include "dojima/link/interruptions.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::link {

/// The first message of what has arrived.
struct Work {
  std::size_t size = 0;       ///< bytes of the message; 0: not all of it is there
  time::Duration service{0};  ///< >= 0
  std::uint16_t kind = 0;     ///< for the observer
};

/// Where messages end and how long each takes.
class ServiceModel {
 public:
  /// Looks at `bytes`, which are not empty; asked once for every whole message, in order of arrival. `is_accepted`: the
  /// connection was made from outside, not by this host.
  [[nodiscard]] virtual Work take(Bytes bytes, bool is_accepted) = 0;

 protected:
  ~ServiceModel() = default;
};

/// One message at the server.
struct Served {
  Time arrival{};
  Time start{};
  Time end{};
  std::uint16_t kind = 0;
  friend bool operator==(const Served&, const Served&) = default;
};

class ServiceObserver {
 public:
  /// The service is over; the session gets the message now.
  virtual void on_served(const Served& served) = 0;

 protected:
  ~ServiceObserver() = default;
};

struct BusyHostOptions {
  /// Of each connection: what waits. A connection that sends more is closed (`input_overflow`).
  std::size_t input_capacity = 1 << 20;
  /// When its thread is away; what a service was lengthened by belongs to it.
  Interruptions interruptions{};
};

class BusyHost final : public Fabric {
 public:
  /// The scheduler entries it reserves.
  static constexpr std::size_t k_timers = 1;

  /// `under` and `model` outlive it, and so does `observer`, which may be null.
  BusyHost(Fabric& under, sched::Scheduler& scheduler, ServiceModel& model, ServiceObserver* observer = nullptr,
           BusyHostOptions options = {});
  ~BusyHost();
  BusyHost(const BusyHost&) = delete;
  BusyHost& operator=(const BusyHost&) = delete;

  [[nodiscard]] Result<Address> listen(const Address& address, Acceptor& acceptor) override;
  void connect(const Address& address, Connection& connection) override;

  /// From now on its thread is interrupted, from that place of the recording on.
  void begin_interruptions(time::Duration offset) { options_.interruptions.begin(scheduler_.now(), offset); }

  /// The message in hand, while its session handles it.
  [[nodiscard]] const Served& current() const noexcept { return current_; }
  /// Messages that wait or are served.
  [[nodiscard]] std::size_t waiting() const noexcept { return jobs_.size() - next_job_; }

 private:
  class Line;
  struct ServedAcceptor;
  struct Job {
    enum class Kind : std::uint8_t {
      message,
      end,         // of the line's connection
      resumption,  // its session wants bytes again
    };
    Line* line;
    std::size_t size;
    Served served;
    Kind kind;
  };

  void enqueue(Line& line, const Work& work, Job::Kind kind);
  void serve(const Job& job);
  void on_service_end(Time now);
  [[nodiscard]] Line& add_line(Connection& session, bool is_accepted);

  Fabric& under_;
  sched::Scheduler& scheduler_;
  ServiceModel& model_;
  ServiceObserver* observer_;
  BusyHostOptions options_;
  std::vector<std::unique_ptr<ServedAcceptor>> acceptors_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Job> jobs_;  // from next_job_ on, in order of arrival and of end
  std::size_t next_job_ = 0;
  Time free_at_{};
  Served current_{};
  const Line* ending_ = nullptr;  // its session is being notified of its end
  sched::TimerOf<&BusyHost::on_service_end> service_end_;
};

}  // namespace dojima::link
