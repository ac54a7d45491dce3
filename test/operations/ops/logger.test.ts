/** Log lines: personal data masked, bounded, one line each. */
import { expect, test } from "bun:test";
import { pii } from "../../../src/core/log.ts";
import { createLogger, type LoggerSettings } from "../../../src/operations/ops/logger.ts";

function logged(settings: Partial<LoggerSettings>): string[] {
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    format: "json",
    personalData: false,
    write: (line) => lines.push(line),
    ...settings,
  });
  log.debug("too.small");
  log.with({ call_id: "c1" }).info("call.{odd}", { number: pii("+37061234567"), text: "a\nb" });
  return lines;
}

test("a JSON line carries event, level, context and fields, and masks personal data", () => {
  const [line = "", ...others] = logged({});
  expect(others).toEqual([]);
  expect(JSON.parse(line)).toMatchObject({ event: "call.{odd}", level: "info", call_id: "c1" });
  expect(line).not.toContain("+37061234567");
});

test("personal data is written only where the operator asked for it", () => {
  expect(logged({ personalData: true }).join()).toContain("+37061234567");
});

test("a pretty line stays one line whatever a field holds", () => {
  const [line = ""] = logged({ format: "auto", isTerminal: true });
  expect(line.trimEnd().split("\n").length).toBe(1);
  expect(line).toContain("call.{odd}");
});

test("a long field is cut", () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  createLogger({ level: "info", format: "json", personalData: false, write }).info("x", {
    text: "y".repeat(100_000),
  });
  expect(lines.join().length).toBeLessThan(3000);
});
