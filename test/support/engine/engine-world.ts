/**
 * The appliance with a provider's engine at a test server, and a tool on a real HTTP server. The
 * test server speaks with the embedded voice, so that tests can check what the remote party hears.
 */
import { eq } from "drizzle-orm";
import type { ConversationSettings } from "../../../src/conversation/conversation-settings.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { eurToMicro } from "../../../src/core/money.ts";
import { findSentenceGently } from "../../../src/demo/hearing/sentence-matcher.ts";
import { createVoices, type Voices } from "../../../src/demo/voices.ts";
import type { EngineSettings, ProviderChoice } from "../../../src/engine/settings.ts";
import type { AgentLanguage } from "../../../src/features/agent/agent.ts";
import { toolSecretBinding } from "../../../src/platform/secrets/secret-binding.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import { tools } from "../../../src/store/schema/index.ts";
import {
  type Appliance,
  type CallView,
  OWN_NUMBER,
  startAppliance,
} from "../appliance/appliance.ts";
import type { Phone } from "../media/phone/phone.ts";
import type { PhoneCall } from "../media/phone/phone-call.ts";
import { tempDir } from "../temp-dir.ts";
import { BOOKING, sameForAllParts } from "./engine-session.ts";

/** Embedded voice of the test servers. */
export const PROVIDER_VOICE = "Emma";
/** Sentences in these calls. */
export const GREETING = "Good afternoon, this is the dental clinic. How can I help you?";
export const DISCLOSURE = "This is an assistant, and the call is recorded.";
export const HOURS = "We are open Monday to Friday from nine to five.";
export const BOOKED = "You are booked for Friday at ten in the morning.";
/** Decoys, never spoken in these calls: `hears` compares against them. */
export const DECOYS = [
  "Yes, there is free parking behind the building.",
  "I am sorry, I did not get that.",
];
const CALLER = "+37061000001";
const LISTEN_LIMIT_MS = 15_000;
const LISTEN_EVERY_MS = 300;

export interface EngineWorld {
  readonly appliance: Appliance;
  readonly voices: Voices;
  readonly caller: Phone;
  /** Request bodies that the tool received. */
  readonly toolRequests: { readonly arguments: Record<string, unknown> }[];
  newestCall(): Promise<CallView>;
  /** Returns the call after it ended and its recording was mailed. */
  mailed(): Promise<CallView>;
  /** Listens until `text` was spoken in this voice and not a decoy; false after 15 s. */
  hears(
    call: Pick<PhoneCall, "received">,
    text: string,
    decoys: readonly string[],
    voice?: string,
  ): Promise<boolean>;
  close(): Promise<void>;
}

export interface EngineWorldOptions {
  readonly host: string;
  readonly providers: readonly ProviderChoice[];
  readonly engine?: Partial<EngineSettings>;
  readonly disclosure?: string;
  /** Disclosures in languages other than English. */
  readonly disclosures?: Partial<Record<AgentLanguage, string>>;
  readonly agent?: Parameters<typeof startAppliance>[0]["agent"];
  readonly conversation?: Partial<ConversationSettings>;
}

export async function startEngineWorld(options: EngineWorldOptions): Promise<EngineWorld> {
  const { host, providers } = options;
  const voices = await createVoices();
  const [first] = providers;
  const appliance = await startAppliance({
    dataDir: tempDir(),
    host,
    agent: options.agent ?? {},
    settings: (settings) => ({
      ...settings,
      engineLabel: first?.id ?? "embedded",
      prices: {
        ...settings.prices,
        sttPerMinute: eurToMicro(0.006),
        llmInputPerMillionTokens: eurToMicro(1),
        llmOutputPerMillionTokens: eurToMicro(4),
        ttsPerMillionCharacters: eurToMicro(12),
      },
      callWorker: {
        ...settings.callWorker,
        engine: {
          label: first?.id ?? "embedded",
          providers: sameForAllParts(providers),
          takesMessages: true,
          guard: { retries: 0, breaker_failures: 1_000, breaker_open_sec: 1 },
          speechRatePercent: 100,
          ...options.engine,
        },
        conversation: {
          ...settings.callWorker.conversation,
          disclosure: {
            ...settings.callWorker.conversation.disclosure,
            en: options.disclosure ?? "",
            ...options.disclosures,
          },
          ...options.conversation,
        },
      },
    }),
  });
  const toolRequests: EngineWorld["toolRequests"] = [];
  const endpoint = Bun.serve({
    hostname: host,
    port: 0,
    async fetch(request) {
      toolRequests.push((await request.json()) as (typeof toolRequests)[number]);
      return Response.json({ booked: true, at: "ten" });
    },
  });
  await addTool(appliance, `http://${host}:${endpoint.port}/book`);
  const caller = await appliance.phone(CALLER, "m3");

  async function newestCall(): Promise<CallView> {
    const { body } = await appliance.api("GET", "/calls?limit=1");
    const [newest] = body.calls;
    if (!newest) throw new Error("there is no call");
    return newest;
  }

  return {
    appliance,
    voices,
    caller,
    toolRequests,
    newestCall,
    async mailed() {
      const { call_uuid } = await newestCall();
      return await appliance.callWhen(
        call_uuid,
        (call) => call.recording_status === "emailed_deleted",
        30_000,
      );
    },
    async hears(call, text, decoys, voice = PROVIDER_VOICE) {
      const [sentence, ...others] = await Promise.all(
        [text, ...decoys].map((line) => voices.speak(voice, line)),
      );
      if (!sentence) return false;
      const sought = { sentence, decoys: others };
      const deadline = performance.now() + LISTEN_LIMIT_MS;
      for (;;) {
        const match = await findSentenceGently(
          { ...sought, recording: call.received() },
          systemClock,
        );
        if (match.isFound || performance.now() > deadline) return match.isFound;
        await Bun.sleep(LISTEN_EVERY_MS);
      }
    },
    async close() {
      await appliance.close();
      await endpoint.stop(true);
    },
  };
}

async function addTool({ app, tenantId, agentId }: Appliance, url: string): Promise<void> {
  const vault = createVault(new Uint8Array(32).fill(7));
  const now = systemClock.now();
  await app.database.tx(async (queries) => {
    const [row] = await queries
      .insert(tools)
      .values({
        tenantId,
        agentId,
        url,
        name: BOOKING.name,
        description: BOOKING.description,
        secretHeader: "X-Secret",
        secretSealed: "",
        parameters: BOOKING.parameters,
        createdAt: now,
        updatedAt: now,
      })
      .returning({ id: tools.id });
    const id = row?.id ?? 0;
    const secretSealed = vault.seal("secret", toolSecretBinding(id));
    await queries.update(tools).set({ secretSealed }).where(eq(tools.id, id));
  });
}

/** Calls the agent and waits for its greeting. */
export async function callAgent({ caller }: EngineWorld) {
  // An earlier attempt may have left its call up.
  await Promise.all(caller.calls.map((call) => call.hangUp()));
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  // The greeting may follow the disclosure after a pause, because it is synthesised during the
  // disclosure.
  await call.waitForReply({ quietMs: 1_800 });
  return call;
}
