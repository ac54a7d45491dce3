/**
 * OpenAI's Realtime protocol as an engine: one WebSocket a call carries speech to text, language model and
 * text to speech. They implement the same three ports as any engine, so what the conversation guarantees
 * (disclosure first, recording, transcript, tools on main, barge-in, fillers, idle prompts, the longest
 * duration) needs no second implementation.
 */
import type { Clock } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type { Random } from "../../../core/random.ts";
import type {
  Engine,
  EngineSession,
  SessionSettings,
} from "../../../domain/conversation/engine-port.ts";
import { warnOfPromptSize } from "../prompt-size.ts";
import { RealtimeLink } from "./link.ts";
import { RealtimeLlmSession } from "./realtime-llm.ts";
import { RealtimeSttStream } from "./realtime-stt.ts";
import { RealtimeTtsStream } from "./realtime-tts.ts";
import type { RealtimeSettings } from "./settings.ts";

/** Instructions and tools together, as the protocol's documentation has it. */
const PROMPT_TOKENS_MAX = 16_384;

export interface RealtimeEngineOptions {
  readonly settings: RealtimeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function createRealtimeEngine(options: RealtimeEngineOptions): Engine {
  const sessions = new Set<EngineSession>();
  return {
    label: "realtime",
    open(settings) {
      const session = openSession(options, settings, () => sessions.delete(session));
      sessions.add(session);
      return session;
    },
    async close() {
      for (const session of [...sessions]) session.close();
    },
  };
}

function openSession(
  options: RealtimeEngineOptions,
  session: SessionSettings,
  onClose: () => void,
): EngineSession {
  const { settings, clock, random } = options;
  const log = options.log.with({ call_id: session.callId });
  warnOfPromptSize(options.log, session, {
    tokensMax: PROMPT_TOKENS_MAX,
    remedy: "assign fewer knowledge files",
  });
  const link = new RealtimeLink({ settings, session, clock, log });
  const stt = new RealtimeSttStream(link);
  const tts = new RealtimeTtsStream(link);
  return {
    combinedSession: true,
    stt,
    tts,
    llm: new RealtimeLlmSession({ link, stt, tts, random }),
    switchLanguage: (language) => link.switchLanguage(language),
    close() {
      onClose();
      stt.close();
      link.close();
    },
  };
}
