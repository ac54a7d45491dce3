import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { type Fields, type Log, pii } from "../../src/core/log.ts";
import { createLogRing } from "../../src/ops/log-ring.ts";

function spy() {
  const written: [string, string, Fields | undefined][] = [];
  const at = (level: string) => (event: string, fields?: Fields) =>
    void written.push([level, event, fields]);
  const log: Log = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: () => log,
  };
  return { log, written };
}

test("lines are kept newest first, with their call, and always masked", () => {
  const ring = createLogRing(systemClock);
  const { log, written } = spy();
  const through = ring.through(log);
  const call = through.with({ call_id: "u-1" });
  call.info("call.answered", { number: pii("+37060000001"), nothing: undefined });
  through.debug("noise");
  through.error("trunk.failed", { text: "x".repeat(10_000) });
  const { lines, total } = ring.read({ limit: 10, offset: 0 });
  expect(total).toBe(2);
  expect(lines.map(({ event, callUuid }) => [event, callUuid])).toEqual([
    ["trunk.failed", null],
    ["call.answered", "u-1"],
  ]);
  expect(lines[1]?.fields).toEqual({ number: "«redacted»" });
  expect(String(lines[0]?.fields.text).length).toBe(500);
  expect(written.map(([level, event]) => [level, event])).toEqual([
    ["info", "call.answered"],
    ["debug", "noise"],
    ["error", "trunk.failed"],
  ]);
  expect(ring.read({ limit: 10, offset: 0, callUuid: "u-1" }).total).toBe(1);
  expect(ring.read({ limit: 10, offset: 0, level: "warn" }).total).toBe(1);
});

test("it holds two thousand lines and drops the oldest", () => {
  const ring = createLogRing(systemClock);
  const log = ring.through(spy().log);
  for (let count = 0; count < 5_000; count++) log.info(`line.${count}`);
  const { lines, total } = ring.read({ limit: 1, offset: 1_999 });
  expect([total, lines[0]?.event]).toEqual([2_000, "line.3000"]);
});
