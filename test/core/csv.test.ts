/** CSV cells: nothing in them is a formula, whichever separator the reader's spreadsheet goes by. */
import { expect, test } from "bun:test";
import { csvRow } from "../../src/core/csv.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+37060000001", "+37060000001"],
  ["--02-29", "--02-29"],
  ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
  ["x\n@SUM(A1)", '"x\n\'@SUM(A1)"'],
  ["x;-2+3+cmd|' /C calc'!A0", "x;'-2+3+cmd|' /C calc'!A0"],
  ["x\n+cmd|' /C calc'!A0", "\"x\n'+cmd|' /C calc'!A0\""],
  ["milk;\n- bread\n-5 EUR;+37060000001", '"milk;\n- bread\n-5 EUR;+37060000001"'],
])("%j is written as %s", (cell, written) => {
  expect(csvRow([cell])).toBe(written);
});
