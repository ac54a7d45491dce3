/**
 * The measured process: the whole appliance, called by its trunk: admission, money, the call's row,
 * audio, greeting, recording, charge, events. Answers each line of standard input with the number
 * of queries run so far; exits when the input ends.
 *
 *   appliance-serve.ts CALLS [PROVIDER SPECULATE]    the engine at this address; default: the
 *   embedded one
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppSettings } from "../../src/app/settings.ts";
import { conversationKeys } from "../../src/conversation/conversation-settings.ts";
import { raiseSignalling } from "../../src/platform/threads/priority.ts";
import { startAppliance } from "../../test/support/appliance/appliance.ts";
import { openAiChoice, sameForAllParts } from "../../test/support/engine/engine-session.ts";
import { countQueries } from "../../test/support/store/statement-watch.ts";
import { startCarrierProcess } from "../calls/carrier-process.ts";
import { roomFor } from "../calls/room.ts";
import { callableBySipp } from "./callable.ts";
import { OURS, type SignallingTarget } from "./hosts.ts";

/**
 * A slot is free only after the call is settled, a moment after its BYE, but the generator calls
 * again immediately.
 */
const PLACES_PER_CALL = 20;

const [calls = "50", provider, speculate = "off"] = process.argv.slice(2);
const room = roomFor(Number(calls) * PLACES_PER_CALL);

/** Uses a provider for STT, LLM and TTS. */
function withProvider(settings: AppSettings, url: string): AppSettings {
  const { callWorker } = settings;
  return {
    ...settings,
    callWorker: {
      ...callWorker,
      engine: {
        ...callWorker.engine,
        label: "openai",
        providers: sameForAllParts([openAiChoice(url)]),
      },
      conversation: {
        ...callWorker.conversation,
        speculate: conversationKeys.speculate.parse(speculate),
      },
    },
  };
}

raiseSignalling(); // as `serve` does
const queries = countQueries();
const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
const world = await startAppliance({
  dataDir: directory,
  host: OURS,
  carrier: await startCarrierProcess(OURS),
  agent: { maxDurationSeconds: 3600, transcriptEmailEnabled: false },
  settings: (settings) => (provider ? withProvider(room(settings), provider) : room(settings)),
});
await callableBySipp(world);
const target: SignallingTarget = {
  sip: world.app.addresses.sip,
  pid: process.pid,
  base: world.app.addresses.http,
  key: world.apiKey,
};
console.log(JSON.stringify(target));
for await (const _ of console) console.log(queries());
await world.close();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
