/**
 * Verifies the caller: asks for the PIN until the attempts are used up, and returns the reached level. The
 * digits go only to the check and are stored nowhere.
 */

import { type Clock, sleep } from "../../core/clock.ts";
import type { CallerLevel, PinCheck } from "../../features/contact/ports.ts";
import type { CallChannel } from "../media-port.ts";

/** Longer than the worker's timeouts, so the worker normally answers first. */
const ENTRY_MS_MAX = 90_000;

interface CallerToVerify {
  readonly tenantId: number;
  readonly callUuid: string;
  /** E.164 number of the other party; empty if withheld. */
  readonly number: string;
  readonly level: CallerLevel;
  /** True if its trunk may be trusted to show real caller numbers (trusted-trunk.ts). */
  readonly trustedTrunk: boolean;
}

/** Rejects only if the store fails. */
export async function verifyCaller(
  { pins, clock }: { readonly pins: PinCheck; readonly clock: Clock },
  caller: CallerToVerify,
  channel: CallChannel,
): Promise<CallerLevel> {
  if (caller.level !== 1 || !caller.trustedTrunk || !(await pins.mayTry(caller)))
    return caller.level;
  try {
    for (let again = false; ; again = true) {
      const digits = await enteredPin(channel, clock, again);
      if (digits === null) return 1;
      const result = await pins.check(caller, digits);
      if (result === "right") return 2;
      if (result !== "wrong") return 1;
    }
  } finally {
    channel.send("pinDone");
  }
}

/** Null if nothing was entered or the call is over. */
async function enteredPin(
  channel: CallChannel,
  clock: Clock,
  again: boolean,
): Promise<string | null> {
  const answered = new AbortController();
  const entered = Promise.withResolvers<string | null>();
  const off = channel.on("pin_entered", ({ digits }) => entered.resolve(digits));
  sleep(clock, ENTRY_MS_MAX, answered.signal).then(
    () => entered.resolve(null),
    () => undefined,
  );
  try {
    channel.send("askPin", again);
    return await entered.promise;
  } finally {
    off();
    answered.abort();
  }
}
