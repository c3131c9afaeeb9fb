#pragma once

// What a service trace says, as tables and charts of an artefact. Pure.

#include "dojima/evidence/artefact.hpp"
#include "dojima/queueing/arrival_fit.hpp"
#include "dojima/queueing/trace_study.hpp"

namespace dojima::queueing {

/// The tables "arrivals", "dispersion" and "models" and the chart "rate".
void add_arrival_fit(evidence::Artefact& artefact, const ArrivalFit& fit);
/// The table "services".
void add_service_study(evidence::Artefact& artefact, const ServiceStudy& study);
/// The table "replay".
void add_replay(evidence::Artefact& artefact, const ReplayCheck& check, double close_ns);

}  // namespace dojima::queueing
