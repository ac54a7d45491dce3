/**
 * The aim: 10,000 events to 200 endpoints, 20 of them dead or slow, while calls go on: healthy ones
 * see p99 ≤ 1 s. The appliance, the callers and the receivers are three processes. Arguments: calls, events.
 */
import { fileURLToPath } from "node:url";
import { firstLine } from "../http/first-line.ts";
import type { Storm, StormResult } from "./storm.ts";

export interface DeliveryDuringCallsResult {
  readonly storm: Storm;
  readonly callsUp: number;
  /** Events at a steady rate. */
  readonly steady: StormResult | null;
  /** All events at once. */
  readonly atOnce: StormResult;
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function measureDeliveryDuringCalls(
  given: Partial<Storm> = {},
): Promise<DeliveryDuringCallsResult> {
  const storm: Storm = {
    ...{ calls: 20, events: 10_000, endpoints: 200, troubled: 20, perSecond: 1000, steadily: true },
    ...given,
  };
  const pipes = { stdin: "pipe", stdout: "pipe", stderr: "inherit" } as const;
  const appliance = Bun.spawn([process.execPath, file("./storm.ts"), JSON.stringify(storm)], pipes);
  const target = await firstLine(appliance.stdout);
  const program = file("../calls/callers.ts");
  const callers = Bun.spawn([process.execPath, program, target, String(storm.calls)], pipes);
  try {
    const { up } = JSON.parse(await firstLine(callers.stdout)) as { up: number };
    appliance.stdin.write("go\n");
    await appliance.stdin.flush();
    const results = JSON.parse(await firstLine(appliance.stdout));
    return { storm, callsUp: up, ...results };
  } finally {
    await callers.stdin.end();
    await callers.exited;
    await appliance.stdin.end();
    await appliance.exited;
  }
}

if (import.meta.main) {
  const [calls, events] = process.argv.slice(2).map(Number);
  const { storm, callsUp, ...runs } = await measureDeliveryDuringCalls({
    ...(calls === undefined ? {} : { calls }),
    ...(events ? { events } : {}),
  });
  console.log(
    `${storm.events} events to ${storm.endpoints} endpoints, ${storm.troubled} of them dead or slow, beside ${callsUp} of ${storm.calls} calls`,
  );
  console.table(runs);
}
