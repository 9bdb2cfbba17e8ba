// What `run` and `report` do with findings: the forms they are written in, and the gates that they must pass.
#pragma once
#include "driver/run.h"
#include "gates/gates.h"
#include "report/model.h"
#include "report/source.h"

namespace warplens::driver {

class Outputs;

class Gates {
public:
  // Reads the configuration and the baseline. Errors: bad-config, bad-baseline and what else is wrong before anything ran.
  static Result<Gates> prepare(const GateOptions&);

  // The architectures that the configuration names, as --sm takes them; empty where it names none.
  std::string sm() const;

  // Makes the findings, writes what was asked for, and says which of them fail. Returns how many do.
  Result<u64> judge(const report::Model&, report::SourceFiles&, const RunOptions&, const Outputs&,
                    const RunOutput&) const;

private:
  gates::Settings settings_;
  gates::Config config_;
};

} // namespace warplens::driver
