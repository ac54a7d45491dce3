/** Stored SIP messages of a call: at its end, once more for late ones, and none without SIP. */
import { expect, test } from "bun:test";
import { createDiagnosticsRecorder } from "../../../src/call/live/diagnostics-recorder.ts";
import { silentLog } from "../../../src/core/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Deps = Parameters<typeof createDiagnosticsRecorder>[0];

const call = { tenantId: 1, rowId: 2, callUuid: "c" };
const quality = [{ atMs: 0 }] as unknown as Parameters<
  ReturnType<typeof createDiagnosticsRecorder>["record"]
>[1]["quality"];

const packetHeaders = { startedAtMs: 0, localHost: "", paths: [], records: new Uint8Array(20) };

interface Put {
  sip: string[];
  quality: unknown;
  packetHeaders: unknown;
}

function world({ storeFails = false } = {}) {
  const clock = fakeClock();
  const trace = new Map<string | null, string[]>([[null, ["of no call"]]]);
  const puts: (Put & { tenantId: number; rowId: number })[] = [];
  const recorder = createDiagnosticsRecorder({
    clock,
    log: silentLog,
    messageTrace: {
      entries: (id: string) => trace.get(id) ?? [],
      forget: (id: string) => void trace.delete(id),
    },
    database: {
      tx: async (work: (queries: object) => unknown) => {
        if (storeFails) throw new Error("the store is away");
        return work({});
      },
    },
    stores: {
      diagnostics: () => ({
        put: async (tenantId: number, rowId: number, { sip, ...others }: Put) =>
          void puts.push({ tenantId, rowId, sip: [...sip], ...others }),
      }),
    },
  } as unknown as Deps);
  return { clock, trace, puts, recorder };
}

test("SIP messages that cross a call's end are stored two seconds later, and then removed from memory", async () => {
  const { clock, trace, puts, recorder } = world();
  trace.set("a", ["BYE"]);
  await recorder.record(call, { sipCallId: "a", quality, packetHeaders });
  expect(puts).toEqual([{ tenantId: 1, rowId: 2, sip: ["BYE"], quality, packetHeaders }]);
  trace.get("a")?.push("200 OK");
  await clock.advance(1_999);
  expect(puts).toHaveLength(1);
  await clock.advance(1);
  await Bun.sleep(0);
  expect(puts.at(-1)).toEqual({
    tenantId: 1,
    rowId: 2,
    sip: ["BYE", "200 OK"],
    quality,
    packetHeaders,
  });
  expect([puts.length, trace.has("a")]).toEqual([2, false]);
});

test("without late messages nothing is stored again", async () => {
  const { clock, trace, puts, recorder } = world();
  trace.set("a", ["BYE"]);
  await recorder.record(call, { sipCallId: "a", quality, packetHeaders });
  await clock.advance(2_000);
  expect([puts.length, trace.has("a"), clock.pendingTimers]).toEqual([1, false, 0]);
});

test("a call without SIP stores its quality without delay", async () => {
  const { clock, puts, recorder } = world();
  await recorder.record(call, { sipCallId: null, quality, packetHeaders });
  expect(puts).toEqual([{ tenantId: 1, rowId: 2, sip: [], quality, packetHeaders }]);
  expect(clock.pendingTimers).toBe(0);
});

test("waiting messages are stored when the appliance stops, once", async () => {
  const { clock, trace, puts, recorder } = world();
  trace.set("a", ["BYE"]);
  await recorder.record(call, { sipCallId: "a", quality, packetHeaders });
  trace.get("a")?.push("200 OK");
  await recorder.stop();
  expect([puts.length, trace.has("a"), clock.pendingTimers]).toEqual([2, false, 0]);
  await recorder.stop();
  expect(puts).toHaveLength(2);
});

test("an unavailable store does not keep a call from ending", async () => {
  const { trace, puts, recorder } = world({ storeFails: true });
  trace.set("a", ["BYE"]);
  await recorder.record(call, { sipCallId: "a", quality, packetHeaders });
  await recorder.stop();
  expect(puts).toEqual([]);
});
