/**
 * Raises how sure it is who calls: asks for the PIN as often as it may be tried, and answers the level
 * reached. The digits pass through here into the check and are kept nowhere.
 */

import { type Clock, sleep } from "../../../core/clock.ts";
import type { CallerLevel, PinCheck } from "../../contact/ports.ts";
import type { CallChannel } from "../media-port.ts";

/** Longer than the worker's own time-outs: it normally answers itself. */
const ENTRY_MS_MAX = 90_000;

interface CallerToVerify {
  readonly tenantId: number;
  readonly callUuid: string;
  /** E.164 of the other side; empty: withheld. */
  readonly number: string;
  readonly level: CallerLevel;
  /** It came (or went) over a trunk whose word on numbers counts (trusted-trunk.ts). */
  readonly trustedTrunk: boolean;
}

/** Never rejects but for the store. */
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

/** null: nothing was keyed, or the call is over. */
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
