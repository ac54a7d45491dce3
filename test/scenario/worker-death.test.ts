/** A thread that dies takes at most its own calls, and the next call works: about 25 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { phrasesFor } from "../../src/conversation/phrases.ts";
import { openStudio, type Studio, startCall } from "../support/live-conversation.ts";
import { AGENT } from "../support/scripted-call.ts";
import { spoken } from "../support/spoken.ts";

const PHRASES = phrasesFor("en");

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio({ first: 31_300, last: 31_339 });
}, 60_000);
afterAll(async () => {
  await studio.close();
});

test(
  "when the speech worker dies the caller hears an apology, and the next call is served",
  async () => {
    const call = await startCall(studio);
    await call.agentDone(0);
    studio.speechWorkers.at(-1)?.terminate();
    await call.waitFor(() => call.endWishes.length > 0);
    expect(call.endWishes).toEqual(["engine_failure"]);
    expect(await call.heard(PHRASES.apology, [PHRASES.maxDuration, PHRASES.idlePrompts[1]])).toBe(
      true,
    );
    const report = await call.hangUp();
    expect(report.turns.at(-1)?.text).toBe(PHRASES.apology);
    await expectServed();
  },
  spoken(90_000),
);

test(
  "when the call worker dies its call fails with a report, and the next call is served",
  async () => {
    const call = await startCall(studio);
    const greeting = await call.agentDone(0);
    const failures: string[] = [];
    call.channel.on("failed", ({ reason }) => failures.push(reason));
    studio.callWorkers.at(-1)?.terminate();
    await call.waitFor(() => failures.length > 0);
    expect(failures).toEqual(["engine_failure"]);
    const report = await call.hangUp();
    expect(report.turns).toEqual([greeting]);
    await expectServed();
  },
  spoken(90_000),
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
