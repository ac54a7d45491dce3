/**
 * Embeddings on the main thread. Passages get their vectors in the background, a few at a time; a
 * caller's question gets its own. After a failure or a time-out, the server gets no requests for a
 * while, longer each time. Until then only words find passages. This is logged once, and shown to
 * the operator as a sentence.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { Embedder } from "../embedder.ts";
import type { ToKnowledgeWorker } from "./messages.ts";
import type { Meaning } from "./passage-index.ts";
import type { TextToEmbed } from "./passage-vectors.ts";

interface EmbeddingOptions {
  readonly embedder: Embedder;
  readonly post: (message: ToKnowledgeWorker) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const TEXTS_A_REQUEST = 16;
const TEXT_CHARACTERS_MAX = 2_400;
const QUESTIONS_UNDER_WAY_MAX = 16;
/** Pause after the first failure; doubled after each further one. */
const PAUSE_MS = 5_000;
const PAUSE_MS_MAX = 600_000;

export class EmbeddingWork {
  /** Tenants whose passages may lack vectors. */
  readonly #tenants = new Set<number>();
  readonly #questions: BackOff;
  readonly #passages: BackOff;
  #underWay = 0;
  #current: number | null = null;
  #tokens = 0;
  #timer: Timer | null = null;
  #closed = false;
  readonly #done: (() => void)[] = [];

  constructor(private readonly options: EmbeddingOptions) {
    this.#questions = new BackOff(options, "question");
    this.#passages = new BackOff(options, "passages");
  }

  /** One sentence; null if the server works. */
  problem(): string | null {
    const problem = this.#questions.problem ?? this.#passages.problem;
    if (problem === null) return null;
    return `Knowledge search uses only words, because [engine.openai] embedding_model "${this.options.embedder.model}" fails: ${problem}`;
  }

  /** Null on a time-out. Never rejects. `used`: called with the counted tokens. */
  async meaningOf(question: string, used: (tokens: number) => void): Promise<Meaning | null> {
    const { embedder } = this.options;
    const isBusy = this.#underWay >= QUESTIONS_UNDER_WAY_MAX;
    if (isBusy || this.#questions.isPaused || this.#closed) return null;
    this.#underWay++;
    try {
      const { vectors, tokens } = await embedder.embed(
        [question.slice(0, TEXT_CHARACTERS_MAX)],
        "question",
      );
      used(tokens);
      this.#questions.answered();
      const [vector] = vectors;
      return vector ? { model: embedder.model, vector } : null;
    } catch (error) {
      this.#questions.failed(error);
      return null;
    } finally {
      this.#underWay--;
    }
  }

  /** Starts the search for passages without vectors. */
  begin(tenantId: number): void {
    this.#tenants.add(tenantId);
    this.#next();
  }

  /** Handles the worker's answer to `listUnembedded`. */
  async listed(tenantId: number, texts: readonly TextToEmbed[]): Promise<void> {
    const { embedder, log } = this.options;
    if (tenantId !== this.#current || this.#closed) return;
    if (texts.length === 0) {
      if (this.#tokens > 0)
        log.info("knowledge.embedded", {
          tenant: tenantId,
          model: embedder.model,
          tokens: this.#tokens,
        });
      this.#tokens = 0;
      this.#tenants.delete(tenantId);
    } else if (!(await this.#embed(tenantId, texts))) return;
    this.#current = null;
    this.#next();
  }

  done(): Promise<void> {
    if (this.#tenants.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#done.push(resolve));
  }

  /** The worker has died, and its pending requests with it. */
  forget(): void {
    this.#current = null;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    for (const settle of this.#done.splice(0)) settle();
  }

  #next(): void {
    const [tenantId] = this.#tenants;
    if (tenantId === undefined) for (const settle of this.#done.splice(0)) settle();
    if (tenantId === undefined || this.#current !== null || this.#closed) return;
    this.#timer?.cancel();
    const waitMs = this.#passages.waitMs;
    if (waitMs > 0) {
      this.#timer = this.options.clock.after(waitMs, () => this.#next());
      return;
    }
    this.#current = tenantId;
    const { model } = this.options.embedder;
    this.options.post({ type: "listUnembedded", args: [tenantId, model, TEXTS_A_REQUEST] });
  }

  async #embed(tenantId: number, texts: readonly TextToEmbed[]): Promise<boolean> {
    const { embedder, post } = this.options;
    const { model } = embedder;
    try {
      const { vectors, tokens } = await embedder.embed(
        texts.map(({ text }) => text.slice(0, TEXT_CHARACTERS_MAX)),
        "passages",
      );
      if (tenantId !== this.#current || this.#closed) return false;
      this.#tokens += tokens;
      this.#passages.answered();
      post({ type: "storeVectors", args: [tenantId, model, texts.map(({ id }) => id), vectors] });
    } catch (error) {
      this.#passages.failed(error);
    }
    return tenantId === this.#current;
  }
}

/** Backoff for a failing server. */
class BackOff {
  #failures = 0;
  #until = 0;
  #problem: string | null = null;

  constructor(
    private readonly parts: Pick<EmbeddingOptions, "clock" | "log" | "embedder">,
    private readonly use: "question" | "passages",
  ) {}

  get problem(): string | null {
    return this.#problem;
  }

  get waitMs(): number {
    return Math.max(0, this.#until - this.parts.clock.monotonic());
  }

  get isPaused(): boolean {
    return this.#failures > 0 && this.waitMs > 0;
  }

  answered(): void {
    if (this.#problem !== null) this.parts.log.info("knowledge.embeddings_answer", this.#named);
    this.#failures = 0;
    this.#until = 0;
    this.#problem = null;
  }

  failed(error: unknown): void {
    const { clock, log } = this.parts;
    const said = describeError(error);
    if (this.#problem === null)
      log.warn("knowledge.embeddings_fail", { ...this.#named, error: said });
    this.#problem = said;
    const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** this.#failures++);
    this.#until = clock.monotonic() + pauseMs;
  }

  get #named() {
    return { model: this.parts.embedder.model, use: this.use };
  }
}
