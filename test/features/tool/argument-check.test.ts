/** Stored schemas from before the limits, with endless checks: the real worker, terminated and restarted. */
import { afterAll, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { createArgumentCheck } from "../../../src/features/tool/argument-check.ts";
import { spawnSchemaWorker } from "../../../src/workers.ts";
import { startEventLoopMeter } from "../../support/process/event-loop-meter.ts";

let started = 0;
const check = createArgumentCheck(() => {
  started++;
  return spawnSchemaWorker();
});
afterAll(() => check.close());

/** Each step uses the next one twice. */
function slowChain(steps: number): JsonObject {
  const $defs: Record<string, JsonValue> = { [`a${steps}`]: { type: "string" } };
  for (let at = 0; at < steps; at++) {
    const next = { $ref: `#/$defs/a${at + 1}` };
    $defs[`a${at}`] = { anyOf: [next, next] };
  }
  return { type: "object", properties: { x: { $ref: "#/$defs/a0" } }, $defs };
}

const GOOD: JsonObject = { type: "object", properties: { day: { type: "string" } } };
const PLAIN_HOLD_MS_MAX = 50;

test("an endless check ends at the deadline, does not block the main thread, and others continue", async () => {
  expect(await check.problem(1, GOOD, { day: "monday" })).toBeNull();
  const meter = startEventLoopMeter();
  const [slow, again, good, bad] = await Promise.all([
    check.problem(1, slowChain(40), { x: 5 }),
    check.problem(1, slowChain(40), { x: 5 }),
    check.problem(2, GOOD, { day: "monday" }),
    check.problem(2, GOOD, { day: 5 }),
  ]);
  meter.stop();
  expect(slow).toContain("could not be checked in time");
  expect(again).toContain("could not be checked in time");
  expect([good, bad]).toEqual([null, expect.stringContaining("day")]);
  expect(meter.longestMs()).toBeLessThan(PLAIN_HOLD_MS_MAX);
  expect(started).toBe(3);
});

test("tenants take turns: another one waits for one job of the slow one, not for all", async () => {
  const order: string[] = [];
  const slow = [1, 2, 3].map(() =>
    check.problem(1, slowChain(40), { x: 5 }).then(() => order.push("slow")),
  );
  const quick = check.problem(2, GOOD, {}).then(() => order.push("quick"));
  await Promise.all([...slow, quick]);
  expect(order).toEqual(["slow", "quick", "slow", "slow"]);
});

test("arguments are read up to 65,536 characters of JSON, however deeply nested", async () => {
  const characters = (count: number): JsonObject => ({ day: "x".repeat(count - 10) });
  expect(await check.problem(1, GOOD, characters(65_535))).toBeNull();
  expect(await check.problem(1, GOOD, characters(65_536))).toBeNull();
  expect(await check.problem(1, GOOD, characters(65_537))).toContain("larger");
  const deep = JSON.parse(`{"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`) as JsonObject;
  expect(await check.problem(1, GOOD, deep)).toContain("larger");
});

test("a tenant's queue has at most 32 entries, and closing answers the waiting ones", async () => {
  const own = createArgumentCheck(spawnSchemaWorker);
  const answers = Array.from({ length: 35 }, () => own.problem(1, slowChain(40), { x: 5 }));
  own.close();
  const texts = await Promise.all(answers);
  expect(texts.filter((text) => text?.includes("Too many"))).toHaveLength(2);
  expect(texts.filter((text) => text?.includes("shutting down"))).toHaveLength(33);
  expect(await own.problem(1, GOOD, {})).toContain("shutting down");
});
