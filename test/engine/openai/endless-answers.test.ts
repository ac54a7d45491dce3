/** A server that continues after a complete or endless answer: it keeps no connection. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { LlmEvent } from "../../../src/conversation/engine-port.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { openAiLlm } from "../../../src/engine/openai/engine.ts";
import {
  openAiSettings,
  sessionSettings,
  textOf,
  utterance,
} from "../../support/engine/engine-session.ts";
import { eventually } from "../../support/eventually.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const DRIP_MS = 5;
const chunkOf = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
const ANSWER = `${chunkOf({ content: "We are open." })}data: [DONE]\n\n`;

let clock: FakeClock;
let open = 0;
let answers = 0;
/** The first bytes, and those repeated afterwards. */
let script: { readonly first: string; readonly drip: string };

function endless(): Response {
  let timer: NodeJS.Timeout;
  const body = new ReadableStream<string>({
    start(stream) {
      open++;
      answers++;
      stream.enqueue(script.first);
      timer = setInterval(() => stream.enqueue(script.drip), DRIP_MS);
    },
    cancel() {
      open--;
      clearInterval(timer);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

let server: ReturnType<typeof Bun.serve>;
beforeEach(() => {
  open = 0;
  answers = 0;
  clock = fakeClock();
  server = Bun.serve({ hostname: "127.0.44.9", port: 0, fetch: endless });
});
afterEach(() => server.stop(true));

function session() {
  const settings = openAiSettings(`http://127.0.44.9:${server.port}/v1`);
  const ports = { id: "openai", clock, random: systemRandom, log: silentLog };
  return openAiLlm(settings, ports).open(sessionSettings());
}

/** Time passes while the server continues. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    await clock.advance(1_000);
    await Bun.sleep(3 * DRIP_MS);
  }
}

test("after [DONE] the connection is closed", async () => {
  script = { first: ANSWER, drip: ": still here\n\n" };
  const { stream } = session();
  const events: LlmEvent[] = [];
  for await (const event of stream.respond(utterance("Open?"), new AbortController().signal))
    events.push(event);
  expect(textOf(events)).toBe("We are open.");
  expect(open).toBe(1);
  await pass(3);
  await eventually(() => open === 0, "the connection is closed");
});

test("an endless summary ends with the call", async () => {
  script = { first: "", drip: chunkOf({ reasoning: "Hmm." }) };
  const { stream, close } = session();
  void stream.summarize({ reason: "caller_hangup", durationSeconds: 9 }).catch(() => {});
  await eventually(() => answers === 1, "the summary is asked for");
  await pass(10);
  expect(open).toBe(1);
  close();
  await eventually(() => open === 0, "the connection is closed");
});
