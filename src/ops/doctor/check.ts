/** A check of `linevoice doctor`: its result, and the command that fixes a problem. */

import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { SipDns } from "../../sip/routing/dns.ts";
import type { TrunkCheck } from "../../sip/trunk-checks.ts";
import type { Config } from "../config/schema.ts";

export type CheckStatus = "ok" | "warning" | "failed" | "skipped";

export interface Finding {
  readonly result: CheckStatus;
  readonly finding: string;
  /** A command or an edit; null: nothing to fix. */
  readonly remedy: string | null;
}

export interface CheckResult extends Finding {
  readonly number: number;
  readonly name: string;
}

/** The server of a trunk. */
export interface TrunkServer {
  readonly server: string;
  readonly port: number;
  /** `host[:port]` that requests go to instead; null: to the server. */
  readonly outbound_proxy: string | null;
  readonly transport: "udp" | "tcp" | "tls" | "auto";
}

/** A trunk as the running server reports it. */
interface ExaminedTrunk extends TrunkServer {
  readonly id: number;
  /** `registered`, `not_required`, `failed`, or a pending state. */
  readonly status: string;
  readonly last_code: number | null;
  readonly explanation: string | null;
}

/** A trunk's answer to a test request. */
export interface ExaminedTrunkTest {
  readonly trunk: Pick<ExaminedTrunk, "id" | "server">;
  readonly checks: readonly (Omit<TrunkCheck, "name"> & { readonly name: string })[];
  /** Final code of OPTIONS; null: no answer. */
  readonly options_code: number | null;
}

/** The input of the checks. */
export interface ExaminedAppliance {
  readonly config: Config;
  readonly dataDir: string;
  readonly databasePath: string;
  /** Reported by the running server; null: no server runs on the data directory. */
  readonly trunks: readonly ExaminedTrunk[] | null;
  /**
   * Sends one request to each of the first 20 trunks, without a test call. Undefined: no server is running.
   * Trunks that cannot be tested are left out.
   */
  readonly trunkTests?: () => Promise<readonly ExaminedTrunkTest[]>;
  /** Default: the system's clock. */
  readonly dns?: SipDns;
  /** Null: no key is configured or stored. Throws if the stored text is not a key. */
  masterKey(): Uint8Array | null;
  /** An unused file with another master key, created by the installer of 0.1.0; null: none. */
  readonly unusedKeyFile?: string | null;
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
  result: "warning",
  finding,
  remedy,
});
export const failed = (finding: string, remedy: string): Finding => ({
  result: "failed",
  finding,
  remedy,
});

/** Runs the checks in order. A check fails if it throws or takes a minute. */
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
      failed(`The check failed: ${describeError(error)}`, "See the server's log."),
    );
    done.abort(new Error("checked"));
    results.push({ number: firstNumber + results.length, name, ...found });
  }
  return results;
}
