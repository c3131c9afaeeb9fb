#pragma once

// A study of fills (fill_study.hpp) as tables and reliability diagrams.

#include "dojima/evidence/artefact.hpp"
#include "dojima/queueing/fills/fill_study.hpp"

namespace dojima::queueing {

void add_fill_study(evidence::Artefact& artefact, const FillStudy& study, const FillStudyPlan& plan);

}  // namespace dojima::queueing
