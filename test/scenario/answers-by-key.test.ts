/**
 * If speech is not recognised, the agent offers keys, and they carry the conversation: over real calls to the
 * embedded engine in Lithuanian, Latvian and Russian. About 55 s.
 */
import { afterAll, beforeAll, test } from "bun:test";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { PHRASES } from "../../src/engine/embedded/scripted/phrases.ts";
import type { AgentLanguage } from "../../src/features/agent/agent.ts";
import { agents } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { atMost } from "../support/at-most.ts";
import { eventually } from "../support/eventually.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const QUIET_MS = 1_000;
const CASES = [
  ["lt", "Taip, prašau", "Labas.", "+37061000431"],
  ["lv", "Jā, lūdzu", "Labdien.", "+37061000432"],
  ["ru", "Да, пожалуйста", "Алло.", "+37061000433"],
] as const;

let world: Appliance;
let voices: Voices;
beforeAll(async () => {
  voices = await createVoices();
  // Synthesised before: later it would keep this thread from the audio of the others.
  for (const [language, yes] of CASES) await voices.speak("m3", yes, language);
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.8.97" });
}, 60_000);
afterAll(() => world.close());

/** The agent's words. */
async function agentIn(number: string): Promise<string> {
  const { body } = await world.api("GET", "/calls");
  const uuid = body.calls.find(({ from_number }) => from_number === number)?.call_uuid;
  const { turns } = (await world.api("GET", `/calls/${uuid}`)).body.call;
  return turns.flatMap(({ speaker, text }) => (speaker === "agent" ? [text] : [])).join(" ");
}

/** Two at once: three are late on a busy machine. */
const turn = atMost(2);
/** A call uses the agent's settings at its start: one test at a time changes the language. */
const inTurn = atMost(1);

async function ring(language: AgentLanguage, firstMessage: string, number: string) {
  const phone = await world.phone(number);
  return await inTurn(async () => {
    await world.app.database.tx((queries) =>
      queries.update(agents).set({ language, firstMessage }),
    );
    const call = await phone.call(OWN_NUMBER);
    await call.answered;
    return call;
  });
}

test.concurrent.each(CASES)(
  "a message is offered, a spoken yes is ignored, and 1 means yes: %s",
  (language, yes, firstMessage, number) =>
    turn(async () => {
      const phrases = PHRASES[language];
      const call = await ring(language, firstMessage, number);
      await call.waitForReply({ quietMs: QUIET_MS });
      const told = async (text: string) => {
        await eventually(async () => (await agentIn(number)).includes(text), text, 30_000);
        await call.waitForSilence();
      };
      await call.press("0");
      await told(`${phrases.nobodyFree} ${phrases.pressYesNo}`);
      await call.play(await voices.speak("m3", yes, language));
      await told(`${phrases.slotNotUnderstood} ${phrases.pressYesNo}`);
      await call.press("1");
      await told(phrases.leaveMessage);
      await call.hangUp();
    }),
  spoken(180_000),
);
