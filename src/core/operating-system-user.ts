/** Name of the user who started this process, for the audit log. Also correct with sudo, or if the process changes its user. */
import { userInfo } from "node:os";

const LENGTH_MAX = 64;

function startedBy(): string {
  try {
    return (process.env.SUDO_USER ?? userInfo().username).slice(0, LENGTH_MAX);
  } catch {
    // The system has no name for the user.
    return String(process.getuid?.() ?? "");
  }
}

export const OPERATING_SYSTEM_USER = startedBy();
