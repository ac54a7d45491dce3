/**
 * The second reading out of the compiled program, whose threads lie elsewhere than in the sources, and whose model
 * is a file beside it: what no knowledge holds is heard, and understood by its meaning on the telephone; without
 * that file the first reading counts. Takes 30 s, on a busy machine longer.
 */
import { beforeAll, expect, test } from "bun:test";
import { constants, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSynthesiser } from "../../src/adapter/engine/embedded/synthesiser.ts";
import { wavFile } from "../../src/adapter/engine/openai/wav.ts";
import { seededRandom } from "../../src/core/random.ts";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";
import { overTelephone } from "../support/speech/telephone-line.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A second reading that comes too late for a caller is left out, as it is on a busy machine. */
const CALLS_MAX = 6;

const GYM = `## Is there parking?
Yes, guests leave their cars in the yard for free.

## How do I end my membership?
Write to us one month before the end of the year.

## Do you have a sauna?
Yes, it is open from four in the afternoon.
`;
const QUESTION = "Where do I put my car?";
/** The answer itself, or the question that has it offered: what is heard on a line differs from call to call. */
const UNDERSTOOD =
  /^(Yes, guests leave their cars in the yard for free\.$|Did you mean(?: one)?: Is there parking\?)/;

let binary = "";
beforeAll(async () => {
  binary = await builtBinary();
}, BUILD_LIMIT_MS);

test("the compiled program reads English a second time", async () => {
  const cwd = await directoryWithQuestion();
  const { result } = await tried(binary, cwd);
  // No two voices of the same sentence are alike, and some rivers sound like dreamers.
  expect(result).toMatch(/the name of the longest/i);
}, 120_000);

test("a caller who asks in other words on the telephone is understood", async () => {
  const cwd = directoryWithSuite();
  let turns: readonly Turn[] = [];
  for (let calls = 0; calls < CALLS_MAX && !wasReadTwice(turns); calls++)
    turns = await called(binary, cwd);
  const [asked, reply] = turns.slice(1).map(({ text }) => text);
  expect([asked, reply]).toEqual([QUESTION, expect.stringMatching(UNDERSTOOD)]);
}, 240_000);

test.each([
  ["missing", () => {}, /linevoice-hearing-en\.pack is not there: looked in /],
  [
    "of another release",
    (pack: string) => writeFileSync(pack, "other"),
    /is damaged or of another release/,
  ],
])(
  "with the pack %s English is read once, which is said",
  async (_, put, complaint) => {
    const cwd = await directoryWithQuestion();
    const copy = join(cwd, "linevoice");
    copyFileSync(binary, copy, constants.COPYFILE_FICLONE);
    put(join(cwd, "linevoice-hearing-en.pack"));
    const { error, result, remedy } = await tried(copy, cwd);
    expect({ error, remedy }).toEqual({ error: null, remedy: expect.stringMatching(complaint) });
    expect(remedy).toContain("install.sh");
    expect(String(result)).not.toBe("");
  },
  120_000,
);

async function directoryWithQuestion(): Promise<string> {
  const cwd = tempDir();
  const text = "What is the name of the longest river?";
  const voice = await createSynthesiser();
  const order = { text, voice: "f2", language: "en", sampleRateHz: 8000 } as const;
  const line = overTelephone(await voice.speakAll(order), seededRandom(3));
  writeFileSync(join(cwd, "river.wav"), wavFile(line, 8000));
  writeFileSync(join(cwd, "linevoice.toml"), "[engine.embedded]\nsecond_reading = true\n");
  return cwd;
}

function directoryWithSuite(): string {
  const cwd = tempDir();
  mkdirSync(join(cwd, "suite"));
  const suite = {
    "agent.yaml": `name: Reception
company: Riverside gym
time_zone: Europe/Vilnius
prompt: You are the receptionist of a gym.
first_message: Hello.
voice: Nathan
language: en
knowledge: [gym.md]
`,
    "gym.md": GYM,
    "01-parking.yaml": `name: A question in other words
script:
  - say: ${QUESTION}
`,
  };
  for (const [name, content] of Object.entries(suite))
    writeFileSync(join(cwd, "suite", name), content);
  writeFileSync(join(cwd, "linevoice.toml"), "[engine.embedded]\nsecond_reading = true\n");
  return cwd;
}

interface Turn {
  readonly text: string;
}

/** The first reading has the words of the knowledge and everyday ones, and no "put". */
const wasReadTwice = (turns: readonly Turn[]) => turns.some(({ text }) => /\bput\b/.test(text));

/** One call over SIP and RTP: what was said, the greeting first. */
async function called(program: string, cwd: string): Promise<readonly Turn[]> {
  const asked = ["rehearse", "suite", "--mode", "phone", "--json", "--config", "linevoice.toml"];
  return (await jsonOf([program, ...asked], cwd)).results[0].turns;
}

async function tried(program: string, cwd: string) {
  const asked = ["engine", "try", "--stt", "river.wav", "--json", "--config", "linevoice.toml"];
  return (await jsonOf([program, ...asked], cwd)).parts[0];
}

async function jsonOf(command: string[], cwd: string) {
  const child = Bun.spawn(command, {
    cwd,
    env: { HOME: cwd },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ exit: await child.exited, err }).toEqual({ exit: 0, err: "" });
  return JSON.parse(out);
}
