/**
 * What a provider of speech to text, of a language model or of text to speech declares: its name, its keys
 * in `[engine.<id>]`, what they cost, what is missing in them, and how it is opened. `registry.ts` lists
 * the providers; configuration, reference, doctor and call workers take all they know of them from there.
 */
import type { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { AgentLanguage } from "../../domain/agent/agent.ts";
import type {
  Engine,
  EngineFailure,
  EngineSession,
  SessionSettings,
} from "../../domain/conversation/engine-port.ts";
import type { Trust } from "../../platform/net/trust.ts";

export type Part = EngineFailure["part"];
export const PARTS: readonly Part[] = ["stt", "llm", "tts"];

/** The parts in words, for messages to people. */
export const PART_NAMES: Readonly<Record<Part, string>> = {
  stt: "speech to text",
  llm: "language model",
  tts: "text to speech",
};

/** One part of a provider in one call. */
export interface OpenPart<P extends Part> {
  readonly stream: EngineSession[P];
  /** From the next utterance or sentence on. Absent: the part needs not know. */
  switchLanguage?(language: AgentLanguage): void;
  /** The speech worker does the work: its death is this call's business. */
  readonly onSpeechWorker?: boolean;
  close(): void;
}

/** One part of a provider in one call worker, for all its calls. Closing it closes what is open. */
export interface PartEngine<P extends Part> {
  open(session: SessionSettings): OpenPart<P>;
  close(): Promise<void>;
}

export type PartEngines = { readonly [P in Part]: PartEngine<P> };

/** What a provider may use in a call worker. */
export interface ProviderPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** For connections to the provider's servers. Missing: what the runtime trusts. */
  readonly trust?: Trust;
  /** The embedded engine of this thread, part by part. Its owner closes it. */
  readonly embedded: PartEngines;
}

/** What the operator pays, for the cost of goods. */
export interface EnginePrices {
  readonly stt_eur_per_min: number;
  readonly llm_input_eur_per_million_tokens: number;
  readonly llm_output_eur_per_million_tokens: number;
  readonly tts_eur_per_million_characters: number;
}

/** A key that is missing or wrong, and what to do about it. */
export interface KeyProblem {
  readonly key: string;
  readonly message: string;
}

/** Which keys to look at when the doctor gets no answer. */
export interface DoctorKeys {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly timeout: string;
}

/** A model that a provider is asked for by name. */
export interface UsedModel {
  readonly model: string;
  /** Where the table names it. */
  readonly key: string;
  /** What answers `GET` with the server's models. */
  readonly list: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

type Shape = z.ZodRawShape;
/** The keys of `[engine.<id>]` as they are in effect; unset texts and secrets are null. */
type Table<S extends Shape> = z.output<z.ZodObject<S>>;

interface ProviderDeclaration<S extends Shape> {
  /** Its name in `[engine] stt`, `llm` and `tts`. Parts with the same id share the table `[engine.<id>]`. */
  readonly id: string;
  /** What the table is about, for the reference. */
  readonly description?: string;
  /** The keys of its table. */
  readonly settings: S;
  /** May be used as a fallback, but not as `[engine] kind`. */
  readonly isStandby?: boolean;
  /** What keeps it from being asked. Empty: nothing. */
  problems(table: Table<S>): readonly KeyProblem[];
  prices(table: Table<S>): Partial<EnginePrices>;
  /** Absent: it has none that could be switched off. */
  models?(table: Table<S>): readonly UsedModel[];
  /** Null: there is nothing to configure. */
  readonly doctorKeys: DoctorKeys | null;
}

export interface PartProvider<P extends Part, S extends Shape = Shape>
  extends ProviderDeclaration<S> {
  /** Cheap: connections are made by calls. */
  open(table: Table<S>, ports: ProviderPorts): Promise<PartEngine<P>>;
}

export interface SttProvider<S extends Shape = Shape> extends PartProvider<"stt", S> {}
export interface LlmProvider<S extends Shape = Shape> extends PartProvider<"llm", S> {}
export interface TtsProvider<S extends Shape = Shape> extends PartProvider<"tts", S> {}

/** A provider whose parts are one session: it hears, answers and speaks, or does nothing of it. */
export interface CombinedProvider<S extends Shape = Shape> extends ProviderDeclaration<S> {
  open(table: Table<S>, ports: ProviderPorts): Promise<Engine>;
}

/** A part engine that closes what it opened. */
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

/** One part of each kind as an engine without a fallback. Closes them. */
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
