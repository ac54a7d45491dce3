/**
 * The demo out of the binary, copied alone into an empty directory: no source, no node_modules, no
 * environment to lean on. Takes about 80 seconds: its three calls are real.
 */
import { beforeAll, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readMail } from "../../src/demo/evidence/mail-file.ts";
import { decodeMp3 } from "../../src/demo/evidence/mp3.ts";
import { findSentence } from "../../src/demo/hearing/sentence-matcher.ts";
import {
  AGENT_VOICE,
  CALLED_LATER,
  CALLED_NOW,
  CALLER,
  CHILDREN,
  OPENING_HOURS,
  PARKING,
  PRICE,
  TOOL,
} from "../../src/demo/script.ts";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const DEMO_LIMIT_MS = 240_000;
/** Said in none of the calls. */
const NEVER_SAID = "Teeth whitening costs two hundred euros.";

const directory = tempDir();
const binary = join(directory, "linevoice");

beforeAll(async () => {
  copyFileSync(await builtBinary(), binary);
  chmodSync(binary, 0o755);
}, BUILD_LIMIT_MS);

async function runDemo(...args: string[]) {
  const child = Bun.spawn([binary, "demo", ...args], {
    cwd: directory,
    env: { HOME: directory, PATH: "/nonexistent" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: DEMO_LIMIT_MS,
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exit: await child.exited, out, err };
}

test(
  "holds its three calls, shows them, and leaves mails whose MP3s are the calls",
  async () => {
    const { exit, out, err } = await runDemo("--exit");
    expect({ exit, err, out: exit === 0 ? "" : out }).toEqual({ exit: 0, err: "", out: "" });
    expect(out).not.toContain("✗");
    expect(out).not.toContain("\u001b[");
    for (const part of ["transcript", "summary", "recording", "e-mail", "billed", "latency"])
      expect(out.split(part).length - 1).toBeGreaterThanOrEqual(3);
    for (const said of [OPENING_HOURS, PARKING, PRICE, CHILDREN, TOOL])
      expect(out).toContain(said.answer);
    expect(out).toMatch(/to hear\s.*:\d+\/app\/calls\/[\w-]{36}\s/);
    expect(out).toMatch(/API\s+http:\/\/127\.0\.0\.1:\d+\/api\/v1/);
    expect(out).toMatch(/open\s+http:\/\/127\.0\.0\.1:\d+\/app\/sign-in#link=[\w-]{43}\s/);
    await expectMails();
  },
  spoken(DEMO_LIMIT_MS),
);

test("refuses a directory that holds something else, and leaves it alone", async () => {
  const precious = join(directory, "precious");
  mkdirSync(precious);
  await Bun.write(join(precious, "letter.txt"), "mine");
  const { exit, out } = await runDemo("--exit", "--data-dir", precious);
  expect(exit).toBe(1);
  expect(out).toContain("--data-dir");
  expect(readdirSync(precious)).toEqual(["letter.txt"]);
});

/** One mail a call; each MP3 holds that caller on the left and that answer on the right. */
async function expectMails(): Promise<void> {
  const voices = await createVoices();
  const outbox = join(directory, "data/demo/outbox");
  const mails = await Promise.all(
    readdirSync(outbox).map((name) => readMail(readFileSync(join(outbox, name), "utf8"))),
  );
  expect(mails).toHaveLength(3);
  const calls = [
    { person: CALLER, asked: OPENING_HOURS },
    { person: CALLED_NOW, asked: PRICE },
    { person: CALLED_LATER, asked: CHILDREN },
  ];
  for (const { person, asked } of calls) {
    const mail = mails.find(({ text }) => text.includes(asked.answer));
    expect(mail?.attachment?.filename).toEndWith(".mp3");
    const { left, right } = await decodeMp3(mail?.attachment?.content ?? Buffer.alloc(0));
    const caller = await find(left, person.voice, asked.question, voices);
    const agent = await find(right, AGENT_VOICE, asked.answer, voices);
    expect({ who: person.name, caller, agent }).toEqual({
      who: person.name,
      caller: true,
      agent: true,
    });
  }
}

async function find(recording: Int16Array, voice: string, sentence: string, voices: Voices) {
  const match = findSentence({
    recording,
    sentence: await voices.speak(voice, sentence),
    decoys: [await voices.speak(voice, NEVER_SAID)],
  });
  return match.isFound;
}
