/** A check of the doctor: what was found, and the command that mends it. */

import type { SipDns } from "../../adapter/sip/routing/dns.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { TrunkSummary, TrunkTest } from "../../interface/control/operator-port.ts";
import type { Config } from "../config/schema.ts";

export type CheckStatus = "ok" | "warning" | "failed" | "skipped";

export interface Finding {
  readonly result: CheckStatus;
  readonly finding: string;
  /** A command or an edit; null where nothing is to be mended. */
  readonly remedy: string | null;
}

export interface CheckResult extends Finding {
  readonly number: number;
  readonly name: string;
}

/** What the checks look at. */
export interface ExaminedAppliance {
  readonly config: Config;
  readonly dataDir: string;
  readonly databasePath: string;
  /** As the running server sees them; null: no server runs on the data directory. */
  readonly trunks: readonly TrunkSummary[] | null;
  /**
   * Each trunk asked once, without a test call; the first 20. Missing: no server runs that could ask.
   * A trunk that cannot be asked is left out.
   */
  readonly trunkTests?: () => Promise<readonly TrunkTest[]>;
  /** Default: the system's. */
  readonly dns?: SipDns;
  /** Null: none is configured or stored. Throws when what is stored is no key. */
  masterKey(): Uint8Array | null;
  readonly clock: Clock;
}

export interface Check {
  readonly name: string;
  run(appliance: ExaminedAppliance): Finding | Promise<Finding>;
}

const CHECK_TIMEOUT_MS = 60_000;

export const ok = (finding: string): Finding => ({ result: "ok", finding, remedy: null });
export const skipped = (finding: string): Finding => ({ result: "skipped", finding, remedy: null });
export const warning = (finding: string, remedy: string): Finding => ({
  ...{ result: "warning", finding, remedy },
});
export const failed = (finding: string, remedy: string): Finding => ({
  ...{ result: "failed", finding, remedy },
});

/** One after the other; a check that throws or takes a minute has failed. */
export async function examine(
  checks: readonly Check[],
  appliance: ExaminedAppliance,
  firstNumber: number,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) {
    const done = new AbortController();
    const limit = sleep(appliance.clock, CHECK_TIMEOUT_MS, done.signal).then(() => {
      throw new Error("no result within a minute");
    });
    limit.catch(() => undefined);
    const found = await Promise.race([Promise.resolve(appliance).then(run), limit]).catch((error) =>
      failed(`It could not be checked: ${describeError(error)}`, "Look at the server's log."),
    );
    done.abort(new Error("checked"));
    results.push({ number: firstNumber + results.length, name, ...found });
  }
  return results;
}
