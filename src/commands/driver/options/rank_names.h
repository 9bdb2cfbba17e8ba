// Programs that a launcher starts several times (mpirun, srun): which rank this process is, and what its files are called.
#pragma once
#include "base/diagnostic.h"
#include "driver/options/run.h"

namespace warplens::driver {

struct Job {
  u32 rank = 0, ranks = 1;
  u32 ranks_here = 1; // on this machine
  std::string id;     // the same for all ranks of the job, and for no other job
  bool ends_all =
      false; // once a rank's process has ended with an exit code or by a signal, the launcher kills the others
  bool has_several() const { return ranks > 1; }
};
// From the environment that the launcher made: Open MPI, MPICH and its kin (PMI), Slurm's srun. Another process than a rank is a job of
// one.
Job job_of_launcher();

// A name with its placeholders filled in: %r rank, %p process, %h machine, %q{NAME} an environment variable, %% a percent sign. Errors:
// bad-file-name.
Result<std::string> filled_in(const std::string& name, const Job&);
// "out/r.json" → "out/r.3.json"
std::string with_rank(const std::string& name, u32 rank);
// What a rank of several writes: `own`, what has the rank in its name (%r, %p, a launcher's variable for it), its own report; `all`, the rest, which is rank 0's report on all.
// `own` fixes nothing, holds nothing to gates, and shows nothing unless it is asked for every rank. JSON on all has a file of each rank
// beside it, `json_of_rank`. `alone` is everything for a rank that nobody waits for, its rank in each name. Of a job of one, `own` is everything.
struct RankOutputs {
  RunOptions own, all, alone;
  std::string json_of_rank; // or empty
  bool writes_own = false;  // something has the rank in its name
};
Result<RankOutputs> name_outputs(const RunOptions&, const Job&);
// Lines of standard error with "[3] " in front.
RunOutput prefixed(const RunOutput&, u32 rank);

} // namespace warplens::driver
