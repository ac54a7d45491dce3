/**
 * Engine servers with certificates of a private authority: `[http_client] ca_file` is enough for requests and
 * sockets, and without it nothing is sent.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { callWorkerOf } from "../../src/app/settings-from-config.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createEmbeddedEngine } from "../../src/engine/embedded/engine.ts";
import { topicsHere } from "../../src/engine/embedded/scripted/topics-here.ts";
import { openAiEmbedder } from "../../src/engine/openai/embeddings.ts";
import { loadConfig } from "../../src/ops/config/load.ts";
import { authoritiesOf } from "../../src/ops/config/pem.ts";
import { knowledgeSearch } from "../../src/ops/doctor/embedding-check.ts";
import { examineProviders } from "../../src/ops/doctor/provider-check.ts";
import { trusting } from "../../src/platform/net/trust.ts";
import { chooseEngine } from "../../src/worker/engine-choice.ts";
import {
  answerTo,
  hum,
  PORTS,
  sessionSettings,
  speech,
  textOf,
  utterance,
} from "../support/engine/engine-session.ts";
import { type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { type RealtimeServer, realtimeServer } from "../support/engine/realtime-server.ts";
import { answer, httpsReceiver } from "../support/net/https-receiver.ts";
import { type Certificate, testCa } from "../support/net/test-ca.ts";
import { type TlsFront, tlsFront } from "../support/net/tls-front.ts";
import { tempDir } from "../support/temp-dir.ts";

const [HTTP_HOST, SOCKET_HOST] = ["127.0.45.3", "127.0.45.4"];
const directory = tempDir();
const embedded = createEmbeddedEngine({
  port: new MessageChannel().port1,
  askTopics: topicsHere(),
  ...PORTS,
});
afterAll(() => embedded.close());

let certificate: Certificate;
beforeAll(() => {
  certificate = testCa(directory).issue([`IP:${HTTP_HOST}`, `IP:${SOCKET_HOST}`]);
});

let server: OpenAiServer;
let realtime: RealtimeServer;
let fronts: TlsFront[] = [];
let urls = { http: "", socket: "" };
beforeEach(async () => {
  server = openAiServer(HTTP_HOST);
  realtime = realtimeServer(SOCKET_HOST);
  const portOf = (url: string) => Number(new URL(url).port);
  const [http, socket] = await Promise.all([
    tlsFront(certificate, HTTP_HOST, portOf(server.url)),
    tlsFront(certificate, SOCKET_HOST, portOf(realtime.url)),
  ]);
  fronts = [http, socket];
  urls = {
    http: `https://${HTTP_HOST}:${http.port}/v1`,
    socket: `wss://${SOCKET_HOST}:${socket.port}/v1/realtime`,
  };
});
afterEach(async () => {
  for (const front of fronts) front.close();
  server.close();
  await realtime.close();
});

function configOf(engine: Record<string, string>, caFile: string | null) {
  const cwd = tempDir();
  const named = Object.entries(engine).map(([key, value]) => [`LINEVOICE_ENGINE__${key}`, value]);
  const env = {
    ...Object.fromEntries(named),
    ...(caFile === null ? {} : { LINEVOICE_HTTP_CLIENT__CA_FILE: caFile }),
  };
  return loadConfig({ env, cwd, systemPath: `${cwd}/none.toml` }).config;
}
const trusted = () => join(directory, "ca.pem");

const KINDS = [
  [
    "over HTTPS",
    () => ({ KIND: "openai", OPENAI__BASE_URL: urls.http, OPENAI__TTS_MODEL: "kokoro" }),
  ],
  [
    "with hearing and voice over secure sockets",
    () => ({
      KIND: "openai",
      OPENAI__BASE_URL: urls.http,
      OPENAI__STT_MODE: "realtime",
      OPENAI__STT_REALTIME_URL: urls.socket,
      OPENAI__TTS_MODE: "realtime",
      OPENAI__TTS_REALTIME_URL: urls.socket,
    }),
  ],
  ["over one secure socket", () => ({ KIND: "realtime", REALTIME__BASE_URL: urls.socket })],
] as const;

for (const [how, engine] of KINDS)
  test(`${how}: a call recognises, answers and speaks`, async () => {
    server.script.recognises.push("When are you open?");
    realtime.script.recognises.push("When are you open?");
    const config = configOf(engine(), trusted());
    const chosen = await chooseEngine(callWorkerOf(config).engine, {
      ...PORTS,
      embedded,
      onTrouble: (trouble) => expect(trouble).toBeNull(),
    });
    const session = chosen.open(sessionSettings({ voice: "Nathan" }));
    try {
      hum(session, 600);
      expect((await session.stt.finalize()).text).toBe("When are you open?");
      expect(textOf(await answerTo(session, utterance("When are you open?")))).not.toBe("");
      expect((await speech(session, "Good afternoon.")).length).toBeGreaterThan(800);
      expect(session.tts.isFallback ?? false).toBe(false);
    } finally {
      session.close();
      await chosen.close();
    }
  });

for (const [how, engine] of KINDS)
  test(`${how}: without ca_file nothing is sent, and the doctor says what to do`, async () => {
    const finding = await examineProviders(configOf(engine(), null), systemClock, embedded.parts);
    expect(finding.result).toBe("failed");
    expect(finding.finding).toMatch(/certificate/);
    expect(finding.remedy).toContain("[http_client] ca_file");
    expect(server.requests).toEqual([]);
    expect(realtime.received).toEqual([]);
  });

test("the doctor connects to a server with a private authority as calls do", async () => {
  server.script.recognises.push("What are your opening hours?");
  const [, engine] = KINDS[0];
  const config = configOf(engine(), trusted());
  const finding = await examineProviders(config, systemClock, embedded.parts);
  expect(finding).toMatchObject({ result: "ok" });
});

test("so do embeddings, of knowledge and of the doctor", async () => {
  const body = JSON.stringify({ data: [{ embedding: [0.25, -1] }], usage: { total_tokens: 5 } });
  const receiver = await httpsReceiver(certificate, answer(200, body), HTTP_HOST);
  try {
    const engine = {
      OPENAI__EMBEDDING_MODEL: "small",
      OPENAI__EMBEDDING_BASE_URL: `https://${HTTP_HOST}:${receiver.port}/v1`,
    };
    const config = configOf(engine, trusted());
    const trust = trusting(authoritiesOf(config));
    const embedder = openAiEmbedder(config.engine.openai, systemClock, trust);
    const { vectors } = await embedder.embed(["Teeth"], "passages");
    expect(vectors.map((vector) => [...vector])).toEqual([[0.25, -1]]);
    const check = async (of: typeof config) =>
      await knowledgeSearch.run({ config: of, clock: systemClock } as Parameters<
        typeof knowledgeSearch.run
      >[0]);
    expect(await check(config)).toMatchObject({ result: "ok" });
    const asked = receiver.requests.length;
    const untrusted = await check(configOf(engine, null));
    expect(untrusted).toMatchObject({ result: "failed" });
    expect(JSON.stringify(untrusted)).toContain("[http_client] ca_file");
    expect(receiver.requests.length).toBe(asked);
  } finally {
    await receiver.close();
  }
});
