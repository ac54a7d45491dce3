/**
 * Time limits of a transfer: for the agent, for a second leg and for the person, before the caller returns to the
 * agent.
 */
import { expect, test } from "bun:test";
import { transferCall } from "../../../src/call/live/transfer.ts";
import { silentLog } from "../../../src/core/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Arguments = Parameters<typeof transferCall>;

/** An event emitter for the test that logs its method calls. */
function speaker(log: string[], say: (name: string) => string, told: unknown[][] = []) {
  const listeners = new Map<string, (event: unknown) => void>();
  return {
    on(name: string, listener: (event: unknown) => void) {
      listeners.set(name, listener);
      return () => void listeners.delete(name);
    },
    emit: (name: string, event: object = {}) => listeners.get(name)?.(event),
    send(name: string, ...details: unknown[]) {
      log.push(say(name));
      if (details.length > 0) told.push([name, ...details]);
    },
    hangUp: () => void log.push(say("hangUp")),
  };
}

async function world() {
  const clock = fakeClock();
  const log: string[] = [];
  const told: unknown[][] = [];
  const channel = speaker(log, (name) => name, told);
  const person = speaker(log, (name) => `person ${name}`);
  const trunk = { settings: { callerId: "+37052000000" }, place: () => person };
  const context = {
    clock,
    log: silentLog,
    admission: { transfer: async () => undefined },
    database: { read: null },
    stores: { setup: () => ({ tenant: async () => ({}), trunk: async () => ({}) }) },
    sip: { trunk: () => trunk },
    settings: { rtpHost: "127.0.0.1", ringTimeoutMs: 30_000 },
  } as unknown as Arguments[0];
  const call = {
    identity: { tenantId: 1, callUuid: "c", direction: "inbound", toNumber: "+37052000000" },
    state: { name: "in_progress", transfer: null },
    leg: { trunkId: 1 },
    channel,
    answeredMs: 0,
    note: () => undefined,
    beginTransfer: () => undefined,
    returned: () => void log.push("returned"),
  } as unknown as Arguments[1];
  await transferCall(context, call, "+37061000012", true);
  const emit = async (from: typeof channel, name: string, event: object = {}) => {
    from.emit(name, event);
    await clock.advance(0);
  };
  return { clock, log, told, channel, person, emit };
}

test("15 s for the agent to finish its sentence", async () => {
  const { clock, log } = await world();
  await clock.advance(14_999);
  expect(log).toEqual(["transferBegin"]);
  await clock.advance(1);
  expect(log).toEqual(["transferBegin", "returned", "transferFailed"]);
});

test("5 s for a second leg's port", async () => {
  const { clock, log, channel, emit } = await world();
  await emit(channel, "transfer_ready");
  await clock.advance(4_999);
  expect(log).toEqual(["transferBegin", "bridgeOpen"]);
  await clock.advance(1);
  expect(log).toEqual(["transferBegin", "bridgeOpen", "returned", "transferFailed"]);
});

test("45 s for the person to hear the summary", async () => {
  const { clock, log, channel, person, emit } = await world();
  await emit(channel, "transfer_ready");
  await emit(channel, "bridge_opened", { rtpPort: 40_000 });
  await emit(person, "answered", { plan: {} });
  log.length = 0;
  await clock.advance(44_999);
  expect(log).toEqual([]);
  await clock.advance(1);
  expect(log).toEqual(["person hangUp"]);
});

test.each([
  [480, "no_answer"],
  [481, "failed"],
  [503, "failed"],
])("if the person's call ends with %d, the transfer fails with %s", async (sipCode, cause) => {
  const { channel, person, emit, told } = await world();
  await emit(channel, "transfer_ready");
  await emit(channel, "bridge_opened", { rtpPort: 40_000 });
  await emit(person, "ended", { kind: "failed", sipCode });
  expect(told).toEqual([["transferFailed", cause]]);
});
