/**
 * Engine port of the scripted agent: its steps as a stream, with texts cut into sentences. It
 * generates nothing: answers are the tenant's texts.
 */

import type { LlmInput, LlmSession, SessionSettings } from "../../../conversation/engine-port.ts";
import { type Clock, within } from "../../../core/clock.ts";
import type { Random } from "../../../core/random.ts";
import type { Lesson, Nearness } from "../meaning/lessons.ts";
import { splitSentences } from "../speech/sentences.ts";
import {
  type AskTopics,
  boundedQuestion,
  type TopicAsk,
  type TopicReply,
  type TopicSubject,
} from "./agent-topics.ts";
import { type KnownTopics, ScriptedAgent } from "./scripted-agent.ts";
import { summaryOf } from "./summary.ts";
import { textForMeaning } from "./topics.ts";

/** Compares texts with an agent's topics by meaning. */
interface MeaningPort {
  learn(lesson: Lesson): void;
  /** Null on a time-out. */
  compare(lessonKey: string, text: string): Promise<Nearness | null>;
}

interface ScriptedSessionOptions {
  readonly settings: Pick<SessionSettings, "transferTargets">;
  readonly subject: TopicSubject;
  readonly askTopics: AskTopics;
  readonly clock: Clock;
  readonly random: Random;
  /** If missing, only words decide. */
  readonly meanings?: MeaningPort | undefined;
  /** Whether speech is recognised now. If not, callers are offered keys. Default: true. */
  readonly hears?: () => boolean;
}

/** Maximum wait for a look-up, in milliseconds. */
const ASK_MS_MAX = 2_000;
const NOTHING_ASKED: TopicAsk = {
  texts: [],
  confidence: 1,
  nearness: null,
  offers: false,
  lesson: false,
};

export function createScriptedSession(options: ScriptedSessionOptions): LlmSession {
  const { settings, subject, clock, random, hears = () => true } = options;
  const { language } = subject;
  const agent = new ScriptedAgent({
    language,
    hears,
    transferTarget: settings.transferTargets?.[0] ?? null,
    now: () => clock.now(),
    newToolCallId: () => `tool_${Buffer.from(random.bytes(9)).toString("base64url")}`,
  });
  const topics = new SessionTopics(options);
  return {
    async *respond(input, signal) {
      const texts = input.type === "utterance" ? agent.textsToFind(input.text) : [];
      const known = await topics.knownFor(input, texts);
      if (signal.aborted) return;
      let outputWords = 0;
      for (const step of agent.respond(input, known)) {
        if (step.type !== "text") {
          yield step;
          continue;
        }
        for (const text of splitSentences(step.text)) {
          if (signal.aborted) return;
          outputWords += text.split(/\s+/).length;
          yield { type: "text", text };
        }
      }
      const inputWords = input.type === "utterance" ? input.text.split(/\s+/).length : 0;
      yield { type: "done", usage: { inputTokens: inputWords, outputTokens: outputWords } };
    },
    truncateSpoken: (text) => agent.truncateSpoken(text),
    summarize: async (end) => summaryOf(agent.record, end, language),
  };
}

/** Requests the topics of one conversation. They are prepared while the greeting is spoken. */
class SessionTopics {
  #about: Promise<TopicReply | null>;

  constructor(private readonly options: ScriptedSessionOptions) {
    this.#about = this.#askAbout();
  }

  async knownFor(input: LlmInput, texts: readonly string[]): Promise<KnownTopics> {
    const about = await this.#about;
    if (about === null) this.#about = this.#askAbout();
    const confidence = input.type === "utterance" ? input.confidence : 1;
    const reply = texts.some((text) => text !== "")
      ? await this.#ask({
          texts,
          confidence,
          nearness: await this.#nearness(texts[0] ?? "", about?.lesson ?? null),
        })
      : null;
    const found = new Map(texts.map((text, at) => [text, reply?.found[at]?.finding]));
    return {
      offered: about?.offered ?? [],
      find: (text) => found.get(text) ?? { zone: "unknown" },
    };
  }

  async #askAbout(): Promise<TopicReply | null> {
    const { meanings } = this.options;
    const about = await this.#ask({ offers: true, lesson: meanings !== undefined });
    if (about?.lesson) meanings?.learn(about.lesson);
    return about;
  }

  async #nearness(text: string, lesson: Lesson | null): Promise<Nearness | null> {
    const { meanings } = this.options;
    if (lesson === null || meanings === undefined) return null;
    return await meanings.compare(lesson.key, textForMeaning(boundedQuestion(text)));
  }

  #ask(ask: Partial<TopicAsk>): Promise<TopicReply | null> {
    const { askTopics, subject, clock } = this.options;
    return within(clock, ASK_MS_MAX, askTopics(subject, { ...NOTHING_ASKED, ...ask }));
  }
}
