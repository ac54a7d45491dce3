/**
 * Talking to an agent from a browser: a real conversation in a call worker, with the configured engine,
 * knowledge and tools. A WebSocket replaces RTP. It is not a call: only its usage is stored (billing/trials.ts),
 * and tools get the information that it is a test.
 *
 * Bounded: a few at a time per tenant and in all, and at most ten minutes each. The owner ends it. It also ends
 * if the agent hangs up, after silence, when the browser sends nothing, or when neither free minutes nor money
 * are left.
 */

import type { CallConfig } from "../../conversation/call-config.ts";
import type { EngineUsage, TurnRecord } from "../../conversation/call-report.ts";
import { UsageMeter } from "../../conversation/usage-meter.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { AppError, describeError, notFound } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { Random } from "../../core/random.ts";
import type { AgentTrialDraft } from "../../features/agent/agent-schema.ts";
import { suspended, type TrialMeter, UNMETERED } from "../../features/billing/trials.ts";
import type { KnowledgeIndex } from "../../features/knowledge/knowledge-index.ts";
import type { TurnSource } from "../../features/knowledge/turn-knowledge.ts";
import type { ToolRunner } from "../../features/tool/ports.ts";
import { buildCallConfig } from "../call-config.ts";
import type { CallSettings } from "../call-settings.ts";
import type { CallChannel, CallMedia } from "../media-port.ts";
import type { CallStorage } from "../stores.ts";

export type WebCallEvent =
  /** Sent again as the turn grows. */
  | { readonly type: "turn"; readonly turn: TurnRecord }
  | { readonly type: "state"; readonly state: "listening" | "speaking" }
  /** The browser must discard received audio that it has not played. */
  | { readonly type: "clear" }
  | {
      readonly type: "tool";
      readonly tool: string;
      readonly arguments: JsonObject;
      readonly ok: boolean;
      readonly httpStatus: number | null;
      readonly durationMs: number;
    }
  | { readonly type: "transfer"; readonly target: string }
  /** Sources of the agent's turn, the best match first. Sent again as the turn grows. */
  | { readonly type: "sources"; readonly index: number; readonly sources: readonly TurnSource[] }
  /** Sent once, at the end. */
  | { readonly type: "ended"; readonly reason: EndedReason; readonly summary: string | null };

interface WebCallListener {
  /** 20 ms of audio for the loudspeaker. */
  audio(pcm: Int16Array): void;
  event(event: WebCallEvent): void;
}

export interface WebCall {
  readonly callUuid: string;
  /** Audio from the microphone: PCM, mono, at the agreed rate. */
  audio(pcm: Int16Array): void;
  digit(digit: string): void;
  /** Hangs up. Idempotent; `ended` follows. */
  stop(): void;
}

export interface WebCalls {
  /** Throws not_found, plan_limit_reached (too many at once), insufficient_balance, unavailable. */
  start(
    tenantId: number,
    agentId: number,
    sampleRateHz: 8000 | 16000,
    listener: WebCallListener,
    draft?: AgentTrialDraft,
  ): Promise<WebCall>;
  /** Ends all web calls; new ones are refused. */
  close(): Promise<void>;
}

const WEB_CALLS_OF_TENANT_MAX = 3;
/** From this total on, each company gets only one web call, so that a few companies cannot block the others. */
const WEB_CALLS_SHARED_MAX = 10;
const WEB_CALLS_MAX = 50;
const METER_MS = 15_000;
const DURATION_SECONDS_MAX = 600;
/** After this many silent frames the agent has stopped speaking. */
const QUIET_FRAMES = 15;
const TRANSFER_WORDS_MS = 4_000;

/** Placeholder: a browser has no SDP. */
const BROWSER_LINE: MediaPlan = {
  remote: { host: "127.0.0.1", port: 0 },
  codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
  telephoneEvent: null,
  direction: "sendrecv",
  ptimeMs: 20,
};

/** Dependencies of a trial conversation. */
export interface TrialPorts extends CallStorage {
  readonly settings: Pick<
    CallSettings,
    "rtpHost" | "voiceAliases" | "callerTagKey" | "knowledgeTokens"
  >;
  /** Missing: no sources are looked up. */
  readonly knowledgeIndex?: KnowledgeIndex;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface WebCallPorts extends TrialPorts {
  readonly media: Pick<CallMedia, "open">;
  readonly tools: ToolRunner;
}

export function createWebCalls(
  context: WebCallPorts,
  isDraining: () => boolean = () => false,
  trials: TrialMeter = UNMETERED,
): WebCalls {
  const live = new Set<LiveWebCall>();
  /** Tenant of each web call, including those in setup. So concurrent starts cannot exceed the limit. */
  const seats: number[] = [];
  let closed = false;

  function admit(tenantId: number): void {
    if (closed || isDraining()) throw shuttingDown();
    const own = seats.filter((owner) => owner === tenantId).length;
    const allMax = own === 0 ? WEB_CALLS_MAX : WEB_CALLS_SHARED_MAX;
    if (own >= WEB_CALLS_OF_TENANT_MAX || seats.length >= allMax)
      throw new AppError({
        code: "plan_limit_reached",
        reason: "calls_at_once",
        publicMessage: `You can have at most ${WEB_CALLS_OF_TENANT_MAX} trial conversations at the same time. End one, then try again.`,
        retryable: true,
      });
    seats.push(tenantId);
  }

  const leave = (tenantId: number) => {
    seats.splice(seats.indexOf(tenantId), 1);
  };

  return {
    async start(tenantId, agentId, sampleRateHz, listener, draft = {}) {
      admit(tenantId);
      try {
        const browser = { sampleRateHz };
        await trials.require(tenantId);
        const config = await trialConfig(context, tenantId, agentId, { browser, draft });
        const channel = await context.media.open(config);
        const ports = { ...context, trials };
        const webCall = new LiveWebCall(ports, tenantId, config, channel, listener, () => {
          live.delete(webCall);
          leave(tenantId);
        });
        live.add(webCall);
        webCall.begin();
        if (closed) webCall.stop();
        return webCall;
      } catch (error) {
        leave(tenantId);
        throw error;
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled([...live].map((webCall) => webCall.end("interrupted")));
    },
  };
}

const shuttingDown = () =>
  new AppError({
    code: "unavailable",
    publicMessage: "The appliance is shutting down; try again in a minute.",
    retryable: true,
  });

/**
 * Configuration of a trial conversation: an agent as it is now, or with the fields of a draft. Throws
 * not_found, plan_limit_reached.
 */
export async function trialConfig(
  context: TrialPorts,
  tenantId: number,
  agentId: number,
  { browser, draft }: { readonly browser: CallConfig["browser"]; readonly draft: AgentTrialDraft },
): Promise<CallConfig> {
  const { database, settings, clock, random } = context;
  const setup = context.stores.setup(database.read);
  const tenant = await setup.tenant(tenantId);
  const saved = await setup.agent(tenantId, agentId);
  if (!tenant || !saved) throw notFound("agent");
  const agent = { ...saved, ...draft };
  if (tenant.suspended) throw suspended();
  const { knowledgeIndex, log } = context;
  const config = await buildCallConfig({ setup, knowledgeIndex, log }, tenant, agent, {
    callId: uuidV7(clock, random),
    direction: "inbound",
    fromNumber: "",
    toNumber: "",
    rtpHost: settings.rtpHost,
    recordingPath: null,
    voiceAliases: settings.voiceAliases,
    callerTagKey: settings.callerTagKey,
    knowledgeTokens: settings.knowledgeTokens,
  });
  const maxDurationSeconds = Math.min(config.agent.maxDurationSeconds, DURATION_SECONDS_MAX);
  return { ...config, agent: { ...config.agent, maxDurationSeconds }, browser: browser ?? null };
}

const NOTHING_USED = new UsageMeter().read();

/** The `caller` that tools get: nobody is on the line. */
export const TRIAL_CALLER: JsonObject = { number: "", direction: "inbound", test: true };

class LiveWebCall implements WebCall {
  readonly callUuid: string;
  readonly #clock: Clock;
  #limit: Timer | null = null;
  #transfer: Timer | null = null;
  #quietFrames = QUIET_FRAMES;
  #ending: Promise<void> | null = null;
  #spokenLast: TurnRecord | null = null;
  #usage: EngineUsage = NOTHING_USED;
  #recorded: EngineUsage = NOTHING_USED;
  #recordedAt: number;
  #recording: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: WebCallPorts & { readonly trials: TrialMeter },
    private readonly tenantId: number,
    private readonly config: CallConfig,
    private readonly channel: CallChannel,
    private readonly listener: WebCallListener,
    private readonly onGone: () => void,
  ) {
    this.callUuid = config.callId;
    this.#clock = context.clock;
    this.#recordedAt = context.clock.monotonic();
  }

  begin(): void {
    const { channel, listener } = this;
    channel.on("heartbeat", ({ usage }) => {
      this.#usage = usage;
      if (this.#clock.monotonic() - this.#recordedAt >= METER_MS) void this.#meter();
    });
    channel.on("turn", ({ turn }) => {
      listener.event({ type: "turn", turn });
      void this.#tellSources(turn);
    });
    channel.on("audio_out", ({ pcm }) => this.#play(pcm));
    channel.on("audio_clear", () => listener.event({ type: "clear" }));
    channel.on("tool_call_requested", (request) => void this.#runTool(request));
    channel.on("hangup_requested", ({ reason }) => void this.end(reason));
    channel.on("transfer_requested", ({ target }) => this.#transferTo(target));
    channel.on("failed", ({ reason, detail }) => {
      this.context.log.warn("web_call.failed", { call_id: this.callUuid, detail });
      void this.end(reason);
    });
    // The conversation normally ends earlier by itself, and politely.
    const maxMs = this.config.agent.maxDurationSeconds * 1000;
    this.#limit = this.#clock.after(maxMs, () => void this.end("max_duration"));
    channel.send("connect", BROWSER_LINE);
    channel.send("answered");
  }

  audio(pcm: Int16Array): void {
    if (!this.#ending) this.channel.send("audioIn", pcm);
  }

  digit(digit: string): void {
    if (!this.#ending) this.channel.send("digit", digit);
  }

  stop(): void {
    void this.end("caller_hangup");
  }

  end(reason: EndedReason): Promise<void> {
    this.#ending ??= this.#close(reason);
    return this.#ending;
  }

  async #close(reason: EndedReason): Promise<void> {
    this.#limit?.cancel();
    this.#transfer?.cancel();
    const { summary, usage } = await this.channel.close(reason);
    this.#usage = usage;
    await this.#meter();
    this.onGone();
    this.listener.event({ type: "ended", reason, summary: summary || null });
  }

  /** Records the usage since the last time. Never rejects. */
  #meter(): Promise<void> {
    this.#recording = this.#recording.then(async () => {
      try {
        await this.#record();
        if (!this.#ending) await this.context.trials.require(this.tenantId);
      } catch (error) {
        if (error instanceof AppError && error.code === "insufficient_balance")
          void this.end("balance_exhausted");
        else
          this.context.log.error("web_call.not_metered", {
            call_id: this.callUuid,
            error: describeError(error),
          });
      }
    });
    return this.#recording;
  }

  async #record(): Promise<void> {
    const now = this.#clock.monotonic();
    const [usage, before] = [this.#usage, this.#recorded];
    const durationMs = now - this.#recordedAt;
    this.#recordedAt = now;
    this.#recorded = usage;
    await this.context.trials.record(this.tenantId, {
      durationMs,
      llmInputTokens: usage.llmInputTokens - before.llmInputTokens,
      llmOutputTokens: usage.llmOutputTokens - before.llmOutputTokens,
      embeddingTokens: (usage.embeddingTokens ?? 0) - (before.embeddingTokens ?? 0),
      ttsCharacters: usage.ttsCharacters - before.ttsCharacters,
      sttSeconds: usage.sttSeconds - before.sttSeconds,
    });
  }

  #play(pcm: Int16Array): void {
    const isSilent = pcm.every((sample) => Math.abs(sample) < 8);
    const wasSpeaking = this.#quietFrames < QUIET_FRAMES;
    this.#quietFrames = isSilent ? Math.min(QUIET_FRAMES, this.#quietFrames + 1) : 0;
    const isSpeaking = this.#quietFrames < QUIET_FRAMES;
    if (isSpeaking !== wasSpeaking)
      this.listener.event({ type: "state", state: isSpeaking ? "speaking" : "listening" });
    this.listener.audio(pcm);
  }

  async #tellSources(turn: TurnRecord): Promise<void> {
    const { knowledgeScope: scope } = this.config;
    const { knowledgeIndex } = this.context;
    if (turn.speaker !== "agent") return;
    this.#spokenLast = turn;
    // The opening words have no sources.
    if (turn.index === 0 || !scope || !knowledgeIndex) return;
    const found = await knowledgeIndex.sourcesOf(scope, turn.text);
    if (this.#spokenLast !== turn || this.#ending) return;
    const { index } = turn;
    const sources = found.map(({ fileId, filename, heading }) => ({ fileId, filename, heading }));
    this.listener.event({ type: "sources", index, sources });
  }

  /** A trial has nobody to transfer to. The target is shown, then the web call ends. */
  #transferTo(target: string): void {
    this.listener.event({ type: "transfer", target });
    this.#transfer ??= this.#clock.after(TRANSFER_WORDS_MS, () => void this.end("transferred"));
  }

  async #runTool(request: {
    toolCallId: string;
    tool: string;
    arguments: JsonObject;
  }): Promise<void> {
    try {
      const { tool, arguments: values } = request;
      const call = { callUuid: this.callUuid, ...request, caller: TRIAL_CALLER };
      const result = await this.context.tools.run(this.tenantId, call);
      const { ok, httpStatus, durationMs } = result;
      this.listener.event({ type: "tool", tool, arguments: values, ok, httpStatus, durationMs });
      this.channel.send("toolResult", result);
    } catch (error) {
      this.context.log.error("web_call.tool_failed", {
        call_id: this.callUuid,
        error: describeError(error),
      });
    }
  }
}
