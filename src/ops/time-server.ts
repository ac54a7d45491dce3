/**
 * Asks systemd whether a time server controls the wall clock, because the unit has no access to the kernel's
 * state.
 */
import { existsSync } from "node:fs";
import type { Clock } from "../core/clock.ts";

const ASKED_MS_MAX = 3_000;

/** True: systemd reports a time server; null: systemd is not running. */
export async function isSynchronised(clock: Clock): Promise<boolean | null> {
  if (!existsSync("/run/systemd/system") || !Bun.which("timedatectl")) return null;
  const child = Bun.spawn(["timedatectl", "show", "-p", "NTPSynchronized", "--value"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const timer = clock.after(ASKED_MS_MAX, () => child.kill());
  const said = (await new Response(child.stdout).text()).trim();
  timer.cancel();
  return said === "yes" ? true : said === "no" ? false : null;
}
