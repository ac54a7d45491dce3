/** Checks if the RTP send threads have real-time priority (media/rtp/departures.ts). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { serverPid } from "../ops/data-dir-lock.ts";
import { type Check, ok, skipped, warning } from "./check.ts";

const THREAD = "departures\n";
/** The policy is field 41 of `/proc/…/stat` (proc(5)); this name has no spaces. */
const POLICY = 40;
const SCHED_FIFO = "1";

export const packetPriority: Check = {
  name: "packets",
  run({ dataDir, trunks }) {
    if (!existsSync("/proc/self/task")) return skipped("This system does not say.");
    const server = trunks === null ? null : serverPid(dataDir);
    if (server === null) return skipped("No server runs; its threads get their priority from it.");
    const policies = policiesOf(`/proc/${server}/task`);
    if (policies.length === 0)
      return warning(
        "There is no thread of their own that sends them: while the processor is busy, packets leave late.",
        "The log says why (media.departures_unavailable); it needs the C library of GNU (glibc).",
      );
    if (policies.every((policy) => policy === SCHED_FIFO))
      return ok("The threads that send them go before all others.");
    return warning(
      "The threads that send them have no real-time priority: while the processor is busy, packets leave late.",
      "LimitRTPRIO=1 and RestrictRealtime=no in the unit (as sudo sh install.sh --upgrade brings it); a container: --ulimit rtprio=1 (LXC: lxc.prlimit.rtprio = 1)",
    );
  },
};

function policiesOf(tasks: string): string[] {
  return readdirSync(tasks).flatMap((thread) => {
    try {
      if (readFileSync(`${tasks}/${thread}/comm`, "utf8") !== THREAD) return [];
      return [readFileSync(`${tasks}/${thread}/stat`, "utf8").split(" ")[POLICY] ?? ""];
    } catch {
      return []; // the process has ended
    }
  });
}
