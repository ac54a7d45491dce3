/** A caller that never acknowledges our 200: nobody pays for the call, and none of its data is kept. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Core } from "sip.js";
import { calls } from "../../src/store/schema/index.ts";
import {
  type Appliance,
  type CallView,
  OWN_NUMBER,
  startAppliance,
} from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { rawCall } from "../support/sip/raw-call.ts";
import { type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { tempDir } from "../support/temp-dir.ts";

const FAR = "127.0.63.22";
const TIMER_L_MS = Core.Timers.TIMER_L;

let world: Appliance;
let peer: SipPeer;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.63.21" });
  peer = await startSipPeer({
    host: FAR,
    onRequest: (request, answer) => {
      if (request.method !== "ACK") answer({ statusCode: 200 });
    },
  });
  await world.app.ask("trunk.set", {
    tenant: world.tenantId,
    server: FAR,
    port: peer.port,
    transport: "udp",
    username: "raw",
    password: "raw",
    realm: null,
    outbound_proxy: null,
    channels: null,
    caller_id: OWN_NUMBER,
    register: false,
  });
}, 60_000);
afterAll(async () => {
  Core.Timers.TIMER_L = TIMER_L_MS;
  await world.close();
  peer.close();
});

function stack() {
  const [host = "", port] = world.app.addresses.sip.split(":");
  return { host, port: Number(port) };
}

async function answeredCall() {
  const call = rawCall(peer, stack(), OWN_NUMBER);
  await call.answer(call.invite());
  return call;
}

async function ended(callId: string): Promise<CallView> {
  const rows = await world.app.database.read.select().from(calls);
  const row = rows.find(({ sipCallId }) => sipCallId === callId);
  return await world.callWhen(row?.callUuid ?? "", ({ ended_at }) => ended_at !== null);
}

test("hung up by the caller before the ACK: completed, and nothing is billed", async () => {
  const call = await answeredCall();
  await Bun.sleep(300);
  await call.answer(call.send({ method: "BYE" }), "BYE");
  const view = await ended(call.callId);
  expect(view).toMatchObject({ billable_seconds: 0, cost_eur: 0, recording_status: "none" });
  expect(readdirSync(join(world.dataDir, "recordings"))).toEqual([]);
});

test("ended by us because of the missing ACK: failed, and nothing is billed", async () => {
  Core.Timers.TIMER_L = 400;
  const call = await answeredCall();
  await eventually(() => peer.methods().includes("BYE"), "our BYE");
  expect(await ended(call.callId)).toMatchObject({
    status: "failed",
    billable_seconds: 0,
    cost_eur: 0,
  });
});

test("acknowledged with the INVITE's branch: billed like any other", async () => {
  Core.Timers.TIMER_L = TIMER_L_MS;
  const call = rawCall(peer, stack(), OWN_NUMBER);
  const branch = call.invite();
  await call.answer(branch);
  call.send({ method: "ACK", branch });
  await Bun.sleep(300);
  await call.answer(call.send({ method: "BYE" }), "BYE");
  const view = await ended(call.callId);
  expect(view).toMatchObject({ status: "completed", ended_reason: "caller_hangup" });
  expect(view.billable_seconds).toBeGreaterThanOrEqual(1);
});
