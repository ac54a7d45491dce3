/** Tenants' regular expressions: they match like the runtime's, and none runs for ever. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { failuresOf } from "../../src/features/rehearsal/expectations.ts";
import { readScenario } from "../../src/features/rehearsal/read-scenario.ts";
import { LinearPattern, PatternRefused } from "../../src/features/tool/linear-pattern.ts";
import { argumentProblem } from "../../src/features/tool/run-tool-arguments.ts";

const BOTH = String.raw`a b K . 1 , - š ^ $ \b \B \d \w \W \s \n \0 \. \x61 \u0062 [ab] [^a] [] [^] [a-c\]] [^\W] [K-L]`;
const ATOMS = {
  "": String.raw`${BOTH} ] { } \012`.split(" "),
  iu: String.raw`${BOTH} \p{L} \u{1F600} 😀 [😀a] [^😀]`.split(" "),
};
const QUANTIFIERS = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "??", "{0}", "{1,3}?"];
const PLAIN = [..."abkK1 .,-\n]{}pšŠ", "\0"];
/** Without the flag u the runtime counts a character beyond 16 bits as two. */
const CHARACTERS = { "": PLAIN, iu: [...PLAIN, "😀"] };

/** Made of atoms, quantifiers, groups and choices; not all of them are regular expressions. */
const patternsOf = (flags: "" | "iu") =>
  fc.letrec<{ pattern: string; part: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4 },
      fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
      fc.tuple(tie("part"), tie("part")).map((options) => options.join("|")),
    ),
    part: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...ATOMS[flags]),
      fc
        .tuple(fc.constantFrom(...ATOMS[flags]), fc.constantFrom(...QUANTIFIERS))
        .map((parts) => parts.join("")),
      fc
        .tuple(fc.constantFrom("(", "(?:"), tie("pattern"), fc.constantFrom("", ...QUANTIFIERS))
        .map(([begin, inside, quantifier]) => `${begin}${inside})${quantifier}`),
    ),
  })).pattern;

function compiled<Made>(make: () => Made): Made | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof PatternRefused) return null;
    throw error;
  }
}

const textsOf = (flags: "" | "iu") =>
  fc.array(fc.constantFrom(...CHARACTERS[flags]), { maxLength: 8 }).map((parts) => parts.join(""));

for (const flags of ["", "iu"] as const)
  test(`a pattern with the flags "${flags}" matches where the runtime's matches`, () => {
    let compared = 0;
    fc.assert(
      fc.property(
        patternsOf(flags),
        fc.array(textsOf(flags), { minLength: 4 }),
        (source, given) => {
          const own = compiled(() => new RegExp(source, flags));
          const linear = compiled(() => new LinearPattern(source, flags));
          expect(linear === null).toBe(own === null);
          for (const text of own ? given : []) {
            expect([source, text, linear?.test(text)]).toEqual([source, text, own?.test(text)]);
            compared++;
          }
        },
      ),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(3_000);
  });

const FOR_EVER = ["^(a+)+$", "^(a|a)*$", "^a*a*a*a*a*a*a*a*a*b$", "(x*a*)*(a|aa)+$"];
const TEXT = `${"a".repeat(2_000)}!`;

test.each(FOR_EVER)("%s, which takes a backtracking engine years, ends", (pattern) => {
  const properties = {
    text: { type: "string", pattern },
    day: { type: "string", format: "date-time" },
    named: { type: "object", patternProperties: { [pattern]: { type: "string" } } },
    later: { $ref: "#/$defs/later" },
  };
  const schema = { type: "object", properties, $defs: { later: { type: "string", pattern } } };
  const day = "2026-11-24T10:00:00Z";
  expect(argumentProblem(schema, { day, text: TEXT })).toContain("text");
  expect(argumentProblem(schema, { day, later: TEXT })).toContain("later");
  expect(argumentProblem(schema, { day, named: { [TEXT]: 1 } })).toBeNull();
  expect(argumentProblem(schema, { day: "Friday" })).toContain("day");
  expect(RegExp.name).toBe("RegExp");

  const scenario = readScenario(
    "a.yaml",
    `name: A\nscript: [{hang_up: true}]\nmust: [{says: {regex: '${pattern}'}}]\n`,
  );
  const said = { index: 0, speaker: "agent", text: TEXT, startMs: 0, endMs: 1 };
  const call = { turns: [said], steps: [], unanswered: [], interruptions: [] };
  const failures = failuresOf(scenario, call as unknown as Parameters<typeof failuresOf>[1]);
  expect(failures).toEqual([expect.objectContaining({ expected: `says /${pattern}/` })]);
});

test("too large patterns and those with lookaround or backreferences are refused", () => {
  const tooLarge = ["(ab){1001}", "[ab]{1000}".repeat(5), "((a{1000}){1000}){1000}"];
  for (const source of [...tooLarge, "(?=a)", "(?<!a)b", "(a)\\1"])
    expect(() => new LinearPattern(source)).toThrow(PatternRefused);
  expect(new LinearPattern("(ab){1000}").test("ab".repeat(1_000))).toBe(true);
});
