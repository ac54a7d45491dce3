/** Checks if the RTP send threads have real-time priority (media/rtp/rtp-send-thread.ts). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { serverPid } from "../data-dir-lock.ts";
import { type Check, ok, skipped, warning } from "./check.ts";

const THREAD = "rtp-send\n";
/** The policy is field 41 of `/proc/…/stat` (proc(5)); this name has no spaces. */
const POLICY = 40;
const SCHED_FIFO = "1";

export const packetPriority: Check = {
  name: "packets",
  run({ dataDir, trunks }) {
    if (!existsSync("/proc/self/task")) return skipped("This system does not report it.");
    const server = trunks === null ? null : serverPid(dataDir);
    if (server === null) return skipped("The server is not running.");
    const policies = policiesOf(`/proc/${server}/task`);
    if (policies.length === 0)
      return warning(
        "No separate thread sends them. If the CPU is busy, packets are sent late.",
        "See media.send_thread_unavailable in the log for the reason. Such a thread needs glibc.",
      );
    if (policies.every((policy) => policy === SCHED_FIFO))
      return ok("The threads that send them have real-time priority.");
    return warning(
      "The threads that send them have no real-time priority. If the CPU is busy, packets are sent late.",
      "Set LimitRTPRIO=1 and RestrictRealtime=no in the unit (sudo sh install.sh --upgrade does it). In a container: --ulimit rtprio=1 (LXC: lxc.prlimit.rtprio = 1)",
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
