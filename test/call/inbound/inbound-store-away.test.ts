/** An inbound call while the store is unavailable: the carrier should try elsewhere. */
import { expect, test } from "bun:test";
import { InboundCalls, type InboundPorts } from "../../../src/call/inbound/inbound.ts";
import type { IncomingLeg } from "../../../src/call/sip-port.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";

test("the call gets 503, so that another node or a later try may take it (RFC 3261 21.5.4)", async () => {
  const rejected: number[] = [];
  const context = {
    log: silentLog,
    clock: systemClock,
    random: systemRandom,
    sip: { trunk: () => ({ settings: { tenantId: 1 } }) },
    database: { tx: () => Promise.reject(new Error("the database server is out of reach")) },
  } as unknown as InboundPorts;
  const leg = { trunkId: 1, reject: (code: number) => void rejected.push(code) };
  await new InboundCalls(context).handle(leg as unknown as IncomingLeg);
  expect(rejected).toEqual([503]);
});
