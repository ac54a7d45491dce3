/**
 * A body is looked through on the main thread, which carries every call's signalling: a field that is far too long is
 * refused without a pattern that reads all of it. Measured in processor time of the thread.
 */
import { expect, test } from "bun:test";
import { readContactsCsv } from "../../src/domain/contact/csv.ts";
import { parseBody } from "../../src/interface/http/body.ts";
import type { Contract } from "../../src/interface/http/contract.ts";
import { dashboardContracts } from "../../src/interface/http/dashboard/routes/pages.ts";
import { allContracts } from "../../src/interface/http/routes/contracts.ts";
import { checkBody } from "../../src/interface/http/validate.ts";
import { startEventLoopMeter } from "../support/process/event-loop-meter.ts";

/** What `[limits] body_bytes` lets through. */
const CHARACTERS = 2_000_000;
const MS_MAX = 150;
const UNITS = ["a", " ", "a.", "a@"];

function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  try {
    work();
  } catch {
    // What it is refused with is another test's.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const fieldsOf = ({ body }: Contract) =>
  Object.keys((body as unknown as { readonly shape?: object } | undefined)?.shape ?? {});

test("no field of two million characters is read to its end by a slow pattern", () => {
  const slow: string[] = [];
  const texts = UNITS.map((unit) => `${unit.repeat(CHARACTERS / unit.length)}x`);
  for (const contract of [...allContracts(), ...dashboardContracts()])
    for (const field of fieldsOf(contract))
      for (const [index, text] of texts.entries()) {
        const ms = processorMs(() => checkBody(contract, { [field]: text }));
        if (ms > MS_MAX) slow.push(`${contract.operationId} ${field} ${UNITS[index]}: ${ms} ms`);
      }
  expect(slow).toEqual([]);
}, 60_000);

test("a list of hundreds of thousands of values is read", () => {
  const body = new TextEncoder().encode(`{"a":[${"1,".repeat(CHARACTERS / 2)}1]}`);
  const read = () => parseBody(body, "application/json", { required: true, textField: null });
  expect(processorMs(read)).toBeLessThan(MS_MAX);
});

test("a file of contacts without a row in it gives way to others", async () => {
  await readContactsCsv("number\n", null);
  const meter = startEventLoopMeter();
  await expect(readContactsCsv(`${" ".repeat(CHARACTERS)}x`, null)).rejects.toThrow("csv");
  meter.stop();
  expect(meter.longestMs()).toBeLessThan(MS_MAX);
});
