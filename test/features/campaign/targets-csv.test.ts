/** A campaign's CSV list: parsed columns, and problems of lines that cannot be called. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import { readTargetsCsv } from "../../../src/features/campaign/targets-csv.ts";

const read = (csv: string) => readTargetsCsv(csv, "LT");
const complaint = async (csv: string): Promise<string> => {
  try {
    await read(csv);
    return "none";
  } catch (error) {
    return error instanceof AppError ? error.publicMessage : String(error);
  }
};

test("spreadsheet numbers are parsed, other columns become variables, and a duplicate number is called once", async () => {
  const { targets, problems } = await read(
    "\uFEFFNumber;First name;Visit on\r\n8 612 34567;Rūta;Friday\r\n+370 612 34567;Ona;Monday\r\n",
  );
  expect(problems).toEqual([]);
  expect(targets).toEqual([
    { numberE164: "+37061234567", variables: { first_name: "Rūta", visit_on: "Friday" } },
  ] as never);
});

test("a line without a telephone number is reported by its line number, and the others are called", async () => {
  const { targets, problems } = await read("number,name\n\nnobody,Ona\n+37061234567,Rūta\n");
  expect(problems).toEqual([{ line: 3, problem: '"nobody" is not a telephone number.' }]);
  expect(targets).toHaveLength(1);
});

test.each([
  ["", "header row"],
  ["name\nRūta\n", "header row"],
  ["number\n", "no number below its header"],
  [`number\n${"+37061234567\n".repeat(20_001)}`, "20000 numbers"],
  [`number,${Array.from({ length: 21 }, (_, n) => `v${n}`).join()}\n`, "20 columns"],
])("%#: a file that is not a list is refused with an explanation", async (csv, words) => {
  expect(await complaint(csv)).toContain(words);
});

test("a variable has at most 300 characters, and there are at most twenty", async () => {
  const value = async (length: number) =>
    (await read(`number,note\n+37061234567,${"a".repeat(length)}\n`)).targets[0]?.variables.note;
  expect([(await value(300))?.length, (await value(301))?.length]).toEqual([300, 300]);
  const names = Array.from({ length: 20 }, (_, n) => `v${n}`).join();
  expect(await complaint(`number,${names}\n+37061234567\n`)).toBe("none");
});
