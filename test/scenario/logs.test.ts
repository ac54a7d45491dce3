/** `logs --call`: one call followed across the layers, without personal data. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.8.93";
const CALLER = "+37061000111";
let world: Appliance;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: HOST });
}, 60_000);
afterAll(() => world.close());

test("a call's SIP, turns, end and money are in order of time; nothing names a person", async () => {
  const caller = await world.phone(CALLER);
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  const uuid = (await world.api("GET", "/calls?limit=1")).body.calls[0]?.call_uuid ?? "";
  await eventually(
    async () => (await world.api("GET", `/calls/${uuid}`)).body.call.turns.length > 0,
    "the greeting",
    30_000,
  );
  call.hangUp();
  await world.callWhen(uuid, ({ ended_at }) => ended_at !== null);
  const asked = { call: uuid, level: "info", limit: 2000 } as const;
  // SIP messages are stored after the call's end.
  await eventually(
    async () => (await world.app.ask("logs.read", asked)).some(({ layer }) => layer === "sip"),
    "SIP's lines",
  );
  const lines = await world.app.ask("logs.read", asked);
  const layers = new Set(lines.map(({ layer }) => layer));
  for (const layer of ["log", "call", "sip", "turn", "billing", "media"] as const)
    expect(layers).toContain(layer);
  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort());
  expect(lines.some(({ text }) => text.startsWith("← INVITE"))).toBe(true);
  expect(lines.some(({ text }) => text === "ended: caller_hangup")).toBe(true);
  const everything = JSON.stringify(lines);
  for (const secret of [CALLER, OWN_NUMBER, "dental clinic", "Good afternoon"])
    expect(everything).not.toContain(secret);
}, 60_000);

test("an unknown call is reported as unknown; all lines have a length limit", async () => {
  const nobody = "0199a0b2-0000-7000-8000-000000000000";
  await expect(
    world.app.ask("logs.read", { call: nobody, level: "info", limit: 10 }),
  ).rejects.toThrow();
  expect((await world.app.ask("logs.read", { call: null, level: "info", limit: 3 })).length).toBe(
    3,
  );
});
