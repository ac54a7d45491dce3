/**
 * A body is checked on the main thread, which also handles every call's signalling. A field that is far too long
 * is refused without matching a pattern against all of it. Measured in processor time of the thread.
 */
import { expect, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import { dashboardContracts } from "../../src/app/server/dashboard-contracts.ts";
import { parseBody } from "../../src/http/body.ts";
import type { Contract } from "../../src/http/contract.ts";
import { checkBody } from "../../src/http/validate.ts";

/** The largest body that `[limits] body_bytes` allows. */
const CHARACTERS = 2_000_000;
const MS_MAX = 150;
const UNITS = ["a", " ", "a.", "a@"];

function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  try {
    work();
  } catch {
    // Another test checks the error.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const parsed = (json: string) =>
  parseBody(Buffer.from(json), "application/json", { required: true, textField: null });

const fieldsOf = ({ body }: Contract) =>
  Object.keys((body as unknown as { readonly shape?: object } | undefined)?.shape ?? {});

test("no field of two million characters is read completely by a slow pattern", () => {
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

test.each([
  ["figures", `{"a":[${"1,".repeat(CHARACTERS / 2)}1]}`],
  ["fields", `{${Array.from({ length: 150_000 }, (_, n) => `"${n * 9973}":1`)}}`],
  ["brackets", `{"a":${"[".repeat(CHARACTERS / 2)}${"]".repeat(CHARACTERS / 2)}}`],
])("a body of hundreds of thousands of %s is refused before it is parsed", (_, json) => {
  expect(() => parsed(json)).toThrow("The body has more than 20000 values.");
});

test("brackets inside a text do not count", () => {
  const text = `,[{\\"\\\\`.repeat(30_000);
  expect(parsed(JSON.stringify({ text }))).toEqual({ text });
});

test("a list of far too long texts is refused quickly", () => {
  const slow = [...allContracts(), ...dashboardContracts()].flatMap((contract) =>
    fieldsOf(contract).filter((field) =>
      ["/", "a.", " "].some((unit) => {
        const text = unit.repeat(CHARACTERS / unit.length);
        return processorMs(() => checkBody(contract, { [field]: [text] })) > MS_MAX;
      }),
    ),
  );
  expect(slow).toEqual([]);
});
