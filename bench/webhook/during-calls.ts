/**
 * Goal: 10,000 events to 200 endpoints, 20 of them dead or slow, during calls, with p99 ≤ 1 s for
 * the healthy ones. The appliance, the callers (sipp and a C program) and the receivers are
 * separate processes. Arguments: calls, events.
 */
import { fileURLToPath } from "node:url";
import { type HeldCalls, startHeldCalls } from "../calls/held-calls.ts";
import { firstLine } from "../http/first-line.ts";
import { nativePrograms } from "../media/native.ts";
import type { Storm, StormResult } from "./storm.ts";

export interface DeliveryDuringCallsResult {
  readonly storm: Storm;
  /** Events at a steady rate. */
  readonly steady: StormResult;
  /** All events at once. */
  readonly atOnce: StormResult;
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Null without sipp or a C compiler. */
export async function measureDeliveryDuringCalls(
  given: Partial<Storm> = {},
): Promise<DeliveryDuringCallsResult | null> {
  const native = Bun.which("sipp") ? nativePrograms() : null;
  if (!native) return null;
  const storm: Storm = {
    calls: 20,
    events: 10_000,
    endpoints: 200,
    troubled: 20,
    perSecond: 1000,
    steadyEvents: 2000,
    ...given,
  };
  const pipes = { stdin: "pipe", stdout: "pipe", stderr: "inherit" } as const;
  const appliance = Bun.spawn([process.execPath, file("./storm.ts"), JSON.stringify(storm)], pipes);
  let held: HeldCalls | null = null;
  try {
    held = await startHeldCalls(native, await firstLine(appliance.stdout));
    if (storm.calls > 0) await held.place(storm.calls);
    appliance.stdin.write("go\n");
    await appliance.stdin.flush();
    const results = JSON.parse(await firstLine(appliance.stdout));
    return { storm, ...results };
  } finally {
    await held?.close();
    await appliance.stdin.end();
    await appliance.exited;
    native.remove();
  }
}

if (import.meta.main) {
  const [calls, events] = process.argv.slice(2).map(Number);
  const measured = await measureDeliveryDuringCalls({
    ...(calls === undefined ? {} : { calls }),
    ...(events ? { events } : {}),
  });
  if (!measured) throw new Error("sipp and a C compiler are needed");
  const { storm, ...runs } = measured;
  console.log(
    `${storm.events} events to ${storm.endpoints} endpoints, ${storm.troubled} of them dead or slow, beside ${storm.calls} calls`,
  );
  console.table(runs);
}
