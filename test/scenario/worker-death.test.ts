/** A dying thread takes at most its own calls, and the next call works: about a minute. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import { eventually } from "../support/eventually.ts";
import { openStudio, type Studio, startCall } from "../support/media/live-conversation.ts";
import { AGENT } from "../support/media/scripted-call.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const PHRASES = phrasesFor("en");

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio({ first: 31_300, last: 31_339 });
}, 60_000);
afterAll(async () => {
  await studio.close();
});

test(
  "if the speech worker dies while the caller speaks, the caller is asked to repeat and the call continues",
  async () => {
    const call = await untilOpen();
    await call.agentDone(0);
    const spoken = call.say("I would like to know when you are open tomorrow");
    await Bun.sleep(900);
    studio.speechWorkers.at(-1)?.terminate();
    await spoken;
    const apology = await call.agentDone(1);
    expect(apology.text).toContain(PHRASES.sayAgain);
    expect(await call.heard(PHRASES.sayAgain, [PHRASES.apology, PHRASES.maxDuration])).toBe(true);
    await call.say("I would like to know when you are open");
    const answer = await call.agentDone(2);
    expect(answer.latencyMs).not.toBeNull();
    expect(call.hangups).toEqual([]);
    await call.hangUp();
    await expectServed();
  },
  spoken(90_000),
);

test(
  "if the speech worker dies while the agent speaks, the sentence is completed",
  async () => {
    const call = await untilOpen();
    await call.peer.media.play(new Int16Array(8 * 300));
    studio.speechWorkers.at(-1)?.terminate();
    const greeting = await call.agentDone(0);
    expect(greeting).toMatchObject({ text: AGENT.firstMessage, interrupted: false });
    expect(call.hangups).toEqual([]);
    await call.hangUp();
    await expectServed();
  },
  spoken(90_000),
);

test(
  "if the call worker dies, its call fails with a report, and the next call is served",
  async () => {
    const call = await untilOpen();
    const greeting = await call.agentDone(0);
    const failures: string[] = [];
    call.channel.on("failed", ({ reason }) => failures.push(reason));
    studio.callWorkers.at(-1)?.terminate();
    await call.waitFor(() => failures.length > 0);
    expect(failures).toEqual(["interrupted"]);
    const report = await call.hangUp();
    expect(report.turns).toEqual([greeting]);
    await expectServed();
  },
  spoken(90_000),
);

/** The number of open files and sockets of this process whose target begins like this. */
function openThat(begins: string): number {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(begins);
    } catch {
      return false;
    }
  }).length;
}

function sendThreads(): number {
  return readdirSync("/proc/self/task").filter((thread) => {
    try {
      return readFileSync(`/proc/self/task/${thread}/comm`, "utf8") === "rtp-send\n";
    } catch {
      return false;
    }
  }).length;
}

async function isFree(port: number): Promise<boolean> {
  try {
    (await Bun.udpSocket({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

test(
  "call workers that die during their calls leave no thread, no socket and no file open",
  async () => {
    await eventually(() => sendThreads() === 1, "the workers before have ended");
    const before = openThat("socket:");
    const directory = tempDir();
    for (let round = 0; round < 2; round++) {
      const calls = [await untilOpen()];
      while (calls.length < 6) {
        const recordingPath = join(directory, `${round}-${calls.length}.wav`);
        calls.push(await startCall(studio, { recordingPath }));
      }
      const ports = calls.map(({ channel }) => channel.rtpPort);
      await Promise.all(calls.map(({ peer }) => peer.media.play(new Int16Array(8 * 100))));
      await eventually(() => openThat(directory) === 5, "all are recorded");
      studio.callWorkers.at(-1)?.terminate();
      await Promise.all(calls.map((call) => call.hangUp()));
      for (const port of ports.flatMap((port) => [port, port + 1]))
        await eventually(() => isFree(port), `${port} is free`);
      await expectServed();
      await eventually(() => sendThreads() === 1, "one thread, the new worker's");
      await eventually(() => openThat("socket:") <= before, "no socket is left");
      await eventually(() => openThat(directory) === 0, "no recording is left", 30_000);
    }
  },
  spoken(120_000),
);

async function expectServed(): Promise<void> {
  const call = await untilOpen();
  const greeting = await call.agentDone(0);
  expect(greeting.text).toBe(AGENT.firstMessage);
  await call.hangUp();
}

/** The replacement needs a moment; until then calls are refused, never lost. */
async function untilOpen() {
  for (let attempt = 0; ; attempt++) {
    try {
      return await startCall(studio);
    } catch (error) {
      if (attempt === 100) throw error;
      await Bun.sleep(200);
    }
  }
}
