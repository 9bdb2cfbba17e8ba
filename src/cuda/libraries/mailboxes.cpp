// See mailboxes.h: which of its two kinds.
#include "libraries/mailboxes.h"
#include "libraries/far_mailboxes.h"
#include "libraries/shared_mailboxes.h"
#include "os/digest.h"
#include "os/environment.h"
#include <fstream>
#include <unistd.h>

namespace warplens::runtime {

// Processes with the same number find one another in /proc. NCCL_HOSTID says it otherwise, as for NCCL.
static u64 this_machine() {
  std::string name = os::variable("NCCL_HOSTID");
  if (name.empty()) {
    char space[64] = {}; // of processes: a container has another
    (void)!readlink("/proc/self/ns/pid", space, sizeof space - 1);
    std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
    name += space;
  }
  return cache::Hasher().add(name).digest().words[0];
}

std::shared_ptr<Mailboxes> Mailboxes::create(Reach reach) {
  std::shared_ptr<SharedMailboxes> out = SharedMailboxes::create(this_machine());
  if (out != nullptr && reach == Reach::machines) out->let_others_in();
  return out;
}

// A process of this machine may be hidden, too.
std::shared_ptr<Mailboxes> Mailboxes::open(const MailboxesAddress& address) {
  std::shared_ptr<Mailboxes> out;
  if (address.machine == this_machine()) out = SharedMailboxes::open(address);
  return out != nullptr ? out : FarMailboxes::connect(address);
}

} // namespace warplens::runtime
