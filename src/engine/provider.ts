/**
 * Declaration of a provider of STT, LLM or TTS: its name, its keys in `[engine.<id>]`, their prices
 * and problems, and how to open it. `registry.ts` lists the providers. Configuration, reference,
 * doctor and call workers use only these declarations.
 */
import type { z } from "zod";
import type {
  Engine,
  EngineFailure,
  EngineSession,
  SessionSettings,
} from "../conversation/engine-port.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { AgentLanguage } from "../features/agent/agent.ts";
import type { Trust } from "../platform/net/trust.ts";

export type Part = EngineFailure["part"];
export const PARTS: readonly Part[] = ["stt", "llm", "tts"];

/** Names of the parts, for messages to people. */
export const PART_NAMES: Readonly<Record<Part, string>> = {
  stt: "speech to text",
  llm: "language model",
  tts: "text to speech",
};

/** One part of a provider in one call. */
export interface OpenPart<P extends Part> {
  readonly stream: EngineSession[P];
  /**
   * Takes effect at the next utterance or sentence. Absent if the part does not need the language.
   */
  switchLanguage?(language: AgentLanguage): void;
  /** The part runs in the speech worker: if that dies, this call is affected. */
  readonly onSpeechWorker?: boolean;
  close(): void;
}

/**
 * One part of a provider in one call worker, for all its calls. Closing it closes its open parts.
 */
export interface PartEngine<P extends Part> {
  open(session: SessionSettings): OpenPart<P>;
  close(): Promise<void>;
}

export type PartEngines = { readonly [P in Part]: PartEngine<P> };

/** Dependencies of a provider in a call worker. */
export interface ProviderPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** For connections to the provider's servers. If missing, the runtime's certificates. */
  readonly trust?: Trust;
  /** The embedded engine of this thread, part by part. Its owner closes it. */
  readonly embedded: PartEngines;
}

/** Prices that the operator pays, for the cost of goods. */
export interface EnginePrices {
  readonly stt_eur_per_min: number;
  readonly llm_input_eur_per_million_tokens: number;
  readonly llm_output_eur_per_million_tokens: number;
  readonly tts_eur_per_million_characters: number;
}

/** A missing or wrong key, and the remedy. */
export interface KeyProblem {
  readonly key: string;
  readonly message: string;
}

/** Keys to check if the doctor gets no answer. */
export interface DoctorKeys {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly timeout: string;
}

/** A model requested by name. */
export interface UsedModel {
  readonly model: string;
  /** Key of the table that names it. */
  readonly key: string;
  /** `GET` request that lists the server's models. */
  readonly list: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

type Shape = z.ZodRawShape;
/** Effective keys of `[engine.<id>]`. Unset texts and secrets are null. */
type Table<S extends Shape> = z.output<z.ZodObject<S>>;

interface ProviderDeclaration<S extends Shape> {
  /**
   * Name in `[engine] stt`, `llm` and `tts`. Parts with the same id share the table
   * `[engine.<id>]`.
   */
  readonly id: string;
  /** Description of the table, for the reference. */
  readonly description?: string;
  /** Keys of the table. */
  readonly settings: S;
  /** May be used as a fallback, but not as `[engine] kind`. */
  readonly isStandby?: boolean;
  /** Configuration problems. Empty if the provider can be used. */
  problems(table: Table<S>): readonly KeyProblem[];
  prices(table: Table<S>): Partial<EnginePrices>;
  /** Tokens that instructions, tools and conversation may have together. Absent: any number. */
  promptTokensMax?(table: Table<S>): number;
  /** Absent if it has no models that could be shut down. */
  models?(table: Table<S>): readonly UsedModel[];
  /** Null if it has no configuration. */
  readonly doctorKeys: DoctorKeys | null;
}

export interface PartProvider<P extends Part, S extends Shape = Shape>
  extends ProviderDeclaration<S> {
  /** Cheap: calls make the connections. */
  open(table: Table<S>, ports: ProviderPorts): Promise<PartEngine<P>>;
}

export interface SttProvider<S extends Shape = Shape> extends PartProvider<"stt", S> {}
export interface LlmProvider<S extends Shape = Shape> extends PartProvider<"llm", S> {}
export interface TtsProvider<S extends Shape = Shape> extends PartProvider<"tts", S> {}

/** A provider whose parts share one session: it does STT, LLM and TTS together or not at all. */
export interface CombinedProvider<S extends Shape = Shape> extends ProviderDeclaration<S> {
  open(table: Table<S>, ports: ProviderPorts): Promise<Engine>;
}

/** A part engine that closes all parts it opened. */
export function partEngine<P extends Part>(
  open: (session: SessionSettings) => OpenPart<P>,
): PartEngine<P> {
  const opened = new Set<OpenPart<P>>();
  return {
    open(session) {
      const part = open(session);
      const tracked: OpenPart<P> = {
        ...part,
        close() {
          opened.delete(tracked);
          part.close();
        },
      };
      opened.add(tracked);
      return tracked;
    },
    async close() {
      for (const part of [...opened]) part.close();
    },
  };
}

/**
 * Combines one part of each kind into an engine without a fallback. Closing it closes the parts.
 */
export function composeEngine(label: string, parts: PartEngines): Engine {
  return {
    label,
    open(session) {
      const stt = parts.stt.open(session);
      const llm = parts.llm.open(session);
      const tts = parts.tts.open(session);
      const all = [stt, llm, tts];
      return {
        stt: stt.stream,
        llm: llm.stream,
        tts: tts.stream,
        onSpeechWorker: all.some(({ onSpeechWorker }) => onSpeechWorker === true),
        switchLanguage(language) {
          for (const part of all) part.switchLanguage?.(language);
        },
        close() {
          for (const part of all) part.close();
        },
      };
    },
    async close() {
      await Promise.all(PARTS.map((part) => parts[part].close()));
    },
  };
}
