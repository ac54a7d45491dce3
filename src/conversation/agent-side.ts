/**
 * The agent's side of a dialogue: the mind's inputs in their order, its answers spoken, its tools
 * awaited, and the playout followed frame by frame to see when its turn begins and ends.
 *
 * Guarantees: the disclosure comes before any other word; a tool's answer reaches the mind before
 * what the caller said meanwhile, and neither is lost; a filler is never clipped by the answer (both
 * go through one queue). When the caller may take the word is dialogue.ts's.
 */
import type { Clock } from "../core/clock.ts";
import type { EngineSession, ExpectedAnswer, MindInput } from "../engine/ports.ts";
import type { CallAudio } from "../media/ports.ts";
import type { ConversationSettings, ToolResult } from "../worker/messages.ts";
import { AgentSpeech, type Spoken } from "./agent-speech.ts";
import { AgentTurn } from "./agent-turn.ts";
import type { Opening } from "./disclosure.ts";
import type { EchoGuard } from "./echo.ts";
import type { FillerRotation } from "./filler.ts";
import { NEARLY_DONE_MS } from "./limits.ts";
import type { CachedPhrases } from "./phrase-cache.ts";
import type { Phrases } from "./phrases.ts";
import { Responder } from "./responder.ts";
import type { SessionMessage } from "./session-message.ts";
import { ToolCalls } from "./tool-calls.ts";
import type { Transcript } from "./transcript.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { UsageMeter } from "./usage-meter.ts";

export interface AgentSideOptions {
  readonly settings: ConversationSettings;
  readonly opening: Opening;
  readonly audio: CallAudio;
  readonly engine: EngineSession;
  readonly cached: CachedPhrases;
  readonly phrases: Phrases;
  readonly fillers: FillerRotation;
  readonly transcript: Transcript;
  readonly usage: UsageMeter;
  readonly clock: Clock;
  readonly emit: (message: SessionMessage) => void;
  readonly echo: EchoGuard;
  readonly machine: TurnMachine;
  /** The caller is speaking, or what was said is being recognised. */
  readonly callerSpeaks: () => boolean;
  readonly recognising: () => boolean;
  readonly onFailure: (error: unknown) => void;
  /** In `closing`: nothing is left to be said. Comes with every frame from then on. */
  readonly onSilent: () => void;
}

export class AgentSide {
  readonly #options: AgentSideOptions;
  readonly #machine: TurnMachine;
  readonly #speech: AgentSpeech;
  readonly #turn: AgentTurn;
  readonly #responder: Responder;
  readonly #tools: ToolCalls;
  /** Inputs that wait until the mind is free: tool answers first. */
  #inbox: MindInput[] = [];
  #expected: ExpectedAnswer = "open";
  #undisclosed: string;
  #transferTarget: string | null = null;
  #playedMs = 0;

  constructor(options: AgentSideOptions) {
    const { settings, audio, engine, clock, usage, emit, onFailure } = options;
    this.#options = options;
    this.#machine = options.machine;
    this.#undisclosed = options.opening.disclosure;
    this.#turn = new AgentTurn(clock, options.transcript);
    this.#speech = new AgentSpeech({
      audio,
      voice: engine.voice,
      phrases: options.cached,
      echo: options.echo,
      clock,
      onFailure,
      onSynthesised: (characters) => usage.synthesised(characters),
    });
    this.#responder = new Responder(engine.mind, clock, {
      text: (text) => this.#say(text),
      toolCall: (wish) => this.#tools.wish(wish),
      expect: (answer) => this.#expect(answer),
      endCall: () => this.#machine.apply({ type: "close", reason: "agent_hangup" }),
      transfer: (target) => {
        this.#transferTarget = target;
      },
      message: () => {},
      usage: (tokens) => usage.tokens(tokens),
      done: (input) => this.#mindDone(input),
      failed: onFailure,
    });
    this.#tools = new ToolCalls({
      settings,
      clock,
      send: (wish) => emit({ ...wish, type: "tool_wish" }),
      onFillerDue: () => this.#fill(),
      onAnswer: (answer) => {
        this.#inbox.unshift(answer);
        this.readInbox();
      },
    });
  }

  /** What the mind expects the caller to say next. */
  get expected(): ExpectedAnswer {
    return this.#expected;
  }

  /** What must not be cut is still being said. */
  get protectedNow(): boolean {
    return this.#speech.protectedNow;
  }

  /** A tool runs, or its answer is being put into words. */
  get toolAtWork(): boolean {
    return this.#tools.pending || this.#responder.answersTool;
  }

  get toolPending(): boolean {
    return this.#tools.pending;
  }

  /** Only the end of the last sentence is still to be played. */
  get nearlyDone(): boolean {
    const { remainingMs, protectedNow } = this.#speech;
    if (this.#responder.busy || protectedNow || remainingMs === null) return false;
    return remainingMs <= NEARLY_DONE_MS;
  }

  /** Something will still be said in this turn, as far as anybody knows. */
  get moreToCome(): boolean {
    const asked = this.#responder.busy || this.#tools.pending || this.#inbox.length > 0;
    return asked || this.#options.recognising();
  }

  /** Greets, and discloses first. */
  greet(): void {
    this.#disclose();
    this.#speech.say(this.#options.opening.greeting, "greeting");
  }

  /** Gives the mind an input now, or as soon as a running tool has answered. */
  ask(input: MindInput): void {
    this.#inbox.push(input);
    this.readInbox();
  }

  /** The caller finished an utterance at `at` (monotonic): from there the latency counts. */
  callerFinished(at: number): void {
    this.#turn.callerFinished(at);
    this.#expected = "open";
  }

  toolResult(result: ToolResult): void {
    this.#tools.result(result);
  }

  /** One frame has passed: where does the agent's turn stand? */
  followPlayout(): void {
    const { playedMs } = this.#options.audio;
    const playing = playedMs > this.#playedMs && this.#speech.audible;
    this.#playedMs = playedMs;
    if (playing) this.#turn.audible();
    switch (this.#machine.state.name) {
      case "thinking":
        if (playing) this.#machine.apply({ type: "agent_audio" });
        else if (!this.moreToCome && !this.#speech.busy) this.#settle("nothing_to_say");
        break;
      case "agent_speaking":
        if (this.#speech.busy) break;
        if (this.moreToCome) this.#machine.apply({ type: "agent_waits" });
        else this.#settle("agent_done");
        break;
      case "closing":
        if (!this.#responder.busy && !this.#speech.busy) this.#options.onSilent();
        break;
    }
  }

  /** Stops thinking and speaking, fading out. Running tools go on. */
  stop(fadeMs: number): Spoken {
    this.#responder.abort();
    return this.endTurn(fadeMs);
  }

  /** Stops speaking only. */
  endTurn(fadeMs: number): Spoken {
    const spoken = this.#speech.stop(fadeMs);
    this.#turn.end(spoken, spoken.cut);
    return spoken;
  }

  /** All was said. */
  finishTurn(): void {
    this.#turn.end(this.#speech.finish(), false);
  }

  /** Forgets what is waiting for the mind, but for answers of tools. */
  forgetInputs(): void {
    this.#inbox = this.#inbox.filter((input) => input.type === "tool_result");
  }

  /** A phrase of the conversation's own. */
  sayPhrase(text: string): void {
    this.#speech.say(text, "phrase");
  }

  /** Goes on with what was not heard before a false interruption. */
  resume(rest: readonly string[]): void {
    for (const text of rest) this.#speech.say(text, "mind");
  }

  /** The agent means to speak and nothing has been heard for too long. */
  hush(): void {
    if (this.#tools.pending || this.#speech.busy || this.#options.callerSpeaks()) return;
    const { phrases, fillers } = this.#options;
    this.sayPhrase(this.#speech.hasWords ? fillers.next() : phrases.hush);
  }

  /** The wait for a tool goes on in silence (again). */
  awaitTool(): void {
    if (this.#tools.pending) this.#tools.armFiller();
  }

  /** No tool and no input counts any more. */
  dropInputs(): void {
    this.#tools.stop();
    this.#inbox = [];
  }

  readInbox(): void {
    const { name } = this.#machine.state;
    const [next] = this.#inbox;
    if (!next || name === "closing" || name === "ended") return;
    const callerHasWord = name === "caller_speaking" || name === "endpointing";
    const mustWait =
      next.type === "tool_result" ? this.#responder.busy || callerHasWord : this.toolAtWork;
    if (mustWait) return;
    this.#inbox.shift();
    const joinsRunningTurn = next.type === "tool_result" && name === "agent_speaking";
    if (!joinsRunningTurn) this.#machine.apply({ type: "respond" });
    this.#responder.respond(next);
  }

  #mindDone(input: MindInput): void {
    if (input.type === "silence" && !this.#speech.hasWords) {
      const [first, second] = this.#options.phrases.idlePrompts;
      this.sayPhrase(input.count === 1 ? first : second);
    }
    this.readInbox();
  }

  #say(text: string): void {
    this.#disclose();
    this.#speech.say(text, "mind");
  }

  #disclose(): void {
    this.#speech.say(this.#undisclosed, "disclosure");
    this.#undisclosed = "";
  }

  #expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
    this.#options.engine.ear.expect(answer);
  }

  /** A tool takes its time. */
  #fill(): void {
    const silent = this.#machine.state.name === "thinking" && !this.#speech.busy;
    if (silent && !this.#options.callerSpeaks()) this.sayPhrase(this.#options.fillers.next());
    else this.#tools.armFiller();
  }

  /** The agent has said what it had to say, perhaps nothing. */
  #settle(how: "agent_done" | "nothing_to_say"): void {
    this.finishTurn();
    this.#machine.apply({ type: how });
    if (this.#transferTarget === null) return;
    this.#options.emit({ type: "transfer_wish", target: this.#transferTarget, briefing: null });
    this.#transferTarget = null;
  }
}
