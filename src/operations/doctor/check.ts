/** A check of the doctor: what was found, and the command that fixes it. */

import type { SipDns } from "../../adapter/sip/routing/dns.ts";
import type { TrunkCheck } from "../../adapter/sip/trunk-checks.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Config } from "../config/schema.ts";

export type CheckStatus = "ok" | "warning" | "failed" | "skipped";

export interface Finding {
  readonly result: CheckStatus;
  readonly finding: string;
  /** A command or an edit; null where nothing is to be fixed. */
  readonly remedy: string | null;
}

export interface CheckResult extends Finding {
  readonly number: number;
  readonly name: string;
}

/** Where a trunk's calls go. */
export interface TrunkServer {
  readonly server: string;
  readonly port: number;
  readonly transport: "udp" | "tcp" | "tls" | "auto";
}

/** A trunk as the running server reports it. */
interface ExaminedTrunk extends TrunkServer {
  readonly id: number;
  /** `registered`, `not_required`, `failed` or what it is waiting for. */
  readonly status: string;
  readonly last_code: number | null;
  readonly explanation: string | null;
}

/** What a trunk answered when it was asked. */
export interface ExaminedTrunkTest {
  readonly trunk: Pick<ExaminedTrunk, "id" | "server">;
  readonly checks: readonly (Omit<TrunkCheck, "name"> & { readonly name: string })[];
  /** Final code of OPTIONS; null: no answer. */
  readonly options_code: number | null;
}

/** What the checks look at. */
export interface ExaminedAppliance {
  readonly config: Config;
  readonly dataDir: string;
  readonly databasePath: string;
  /** As the running server sees them; null: no server runs on the data directory. */
  readonly trunks: readonly ExaminedTrunk[] | null;
  /**
   * Each trunk asked once, without a test call; the first 20. Missing: no server runs that could ask.
   * A trunk that cannot be asked is left out.
   */
  readonly trunkTests?: () => Promise<readonly ExaminedTrunkTest[]>;
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
