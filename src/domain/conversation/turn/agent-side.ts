/**
 * The agent's side of a dialogue: the LLM's inputs in their order, its answers spoken, its tools
 * awaited, and the playout followed frame by frame to see when its turn begins and ends.
 *
 * Guarantees: the disclosure comes before any other word; a tool's answer reaches the LLM before
 * what the caller said meanwhile, and neither is lost; a filler is never clipped by the answer (both
 * go through one queue). turn-controller.ts decides when the caller may take the word.
 */
import type { Clock } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type { CallAudio } from "../audio-port.ts";
import type { CallEvent } from "../call-protocol.ts";
import type { TransferFailure } from "../call-report.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import type { FirstWords, Opening } from "../disclosure/disclosure.ts";
import { DisclosureProof } from "../disclosure/disclosure-proof.ts";
import type { EngineSession, ExpectedAnswer, LlmInput } from "../engine-port.ts";
import { NEARLY_DONE_MS } from "../limits.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import { AgentSpeech, type Spoken } from "../speech/agent-speech.ts";
import { AgentTurn, type AnsweredUtterance } from "../speech/agent-turn.ts";
import type { EchoGuard } from "../speech/echo.ts";
import { NeverSilent } from "../speech/never-silent.ts";
import type { CachedPhrases } from "../speech/phrase-cache.ts";
import { BuiltIns, type BuiltInsOptions } from "../tools/built-ins.ts";
import { type ToolAnswer, ToolCalls } from "../tools/tool-calls.ts";
import { ToolRounds } from "../tools/tool-rounds.ts";
import { TransferRequests } from "../tools/transfer-requests.ts";
import type { Transcript } from "../transcript.ts";
import type { UsageMeter } from "../usage-meter.ts";
import { asksForDictation } from "../words.ts";
import { IdlePrompt } from "./idle-prompt.ts";
import { Responder } from "./responder.ts";
import type { TurnMachine } from "./turn-taking.ts";

export interface AgentSideOptions extends Pick<BuiltInsOptions, "sendDigits"> {
  readonly settings: ConversationSettings;
  readonly opening: Opening;
  readonly audio: CallAudio;
  readonly engine: EngineSession;
  readonly cached: CachedPhrases;
  readonly activeLanguage: ActiveLanguage;
  /** Names of the tenant's tools. */
  readonly ownTools: ReadonlySet<string>;
  readonly transcript: Transcript;
  readonly usage: UsageMeter;
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: (message: CallEvent) => void;
  readonly echo: EchoGuard;
  readonly machine: TurnMachine;
  /** The caller is speaking, or what was said is being recognised. */
  readonly callerSpeaks: () => boolean;
  readonly recognising: () => boolean;
  /** What is going to be said. */
  readonly onText: (text: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** The agent speaks another language from now on. */
  readonly onLanguage: () => void;
  /** In `closing`: nothing is left to be said. Comes with every frame from then on. */
  readonly onSilent: () => void;
}

export class AgentSide {
  readonly #options: AgentSideOptions;
  readonly #machine: TurnMachine;
  readonly #speech: AgentSpeech;
  readonly #turn: AgentTurn;
  readonly #responder: Responder;
  readonly tools: ToolCalls;
  /** Inputs that wait until the LLM is free: tool answers first. */
  #inbox: LlmInput[] = [];
  #expected: ExpectedAnswer = "open";
  /** The LLM's last piece of text. */
  #lastText = "";
  readonly #builtIns: BuiltIns;
  readonly #neverSilent: NeverSilent;
  readonly #idlePrompt: IdlePrompt;
  readonly #proof: DisclosureProof;
  readonly #transferRequests = new TransferRequests();
  #playedMs = 0;

  constructor(options: AgentSideOptions) {
    const { settings, audio, engine, clock, usage, emit } = options;
    const onFailure = (error: unknown) => {
      if (!this.#idlePrompt.excuses(error)) options.onFailure(error);
    };
    this.#options = options;
    this.#machine = options.machine;
    this.#turn = new AgentTurn(clock, options.transcript);
    this.#speech = new AgentSpeech({
      audio,
      tts: engine.tts,
      phrases: options.cached,
      echo: options.echo,
      clock,
      log: options.log,
      onText: options.onText,
      onFailure,
      onFirstAudio: () => this.#turn.mark("firstAudio"),
      onSynthesised: (characters) => usage.synthesised(characters),
      onSynthesisedInVain: (characters) => usage.synthesisedInVain(characters),
    });
    const { opening, transcript, activeLanguage } = options;
    const say = (text: string) => this.sayPhrase(text);
    this.#neverSilent = new NeverSilent({ settings, activeLanguage, say, speech: this.#speech });
    const stop = () => this.stop(settings.bargeInFadeMs);
    this.#idlePrompt = new IdlePrompt({ ...options, say, stop });
    this.#proof = new DisclosureProof(opening.disclosure, clock, transcript, emit);
    const toolRounds = new ToolRounds(engine.llm, () => this.#toolsUsedUp());
    this.#responder = new Responder(toolRounds, clock, {
      text: (text) => this.#say(text),
      toolCall: (request) => {
        if (!this.#builtIns.handle(request)) this.tools.request(request);
      },
      expect: (answer) => this.#expect(answer),
      endCall: () => this.#machine.apply({ type: "close", reason: "agent_hangup" }),
      transfer: (target) =>
        this.#transferRequests.replace({ target, announcement: null, toolCallId: null }),
      message: (text) => this.#builtIns.keepMessage({ text, callerName: null, callback: null }),
      usage: (tokens) => usage.tokens(tokens),
      preparedText: (text) => this.#speech.prepare(text),
      preparedDropped: () => this.#speech.dropPrepared(),
      done: () => this.#answerDone(),
      failed: onFailure,
    });
    this.tools = new ToolCalls({
      settings,
      clock,
      send: (request) => emit({ ...request, type: "tool_call_requested" }),
      onFillerDue: () => this.#fill(),
      onAnswer: (answer) => this.#answerTool(answer),
    });
    this.#builtIns = new BuiltIns({
      ...options,
      transferTargets: settings.transferTargets ?? {},
      tenantToolNames: options.ownTools,
      endCall: () => this.#machine.apply({ type: "close", reason: "agent_hangup" }),
      transfer: (request) => this.#transferRequests.add(request),
      answer: (answer) => this.#answerTool(answer),
    });
  }

  /** What the LLM expects the caller to say next. */
  get expected(): ExpectedAnswer {
    return this.#expected;
  }

  /** What must not be cut is still being said. */
  get protectedNow(): boolean {
    return this.#speech.protectedNow;
  }

  /** A tool runs, or its answer is being put into words. */
  get toolAtWork(): boolean {
    return this.tools.pending || this.#responder.answersTool;
  }

  get toolPending(): boolean {
    return this.tools.pending;
  }

  /** Only the end of the last sentence is still to be played. */
  get nearlyDone(): boolean {
    const { remainingMs, protectedNow } = this.#speech;
    if (this.#responder.busy || protectedNow || remainingMs === null) return false;
    return remainingMs <= NEARLY_DONE_MS;
  }

  /** Something will still be said in this turn, as far as anybody knows. */
  get moreToCome(): boolean {
    const asked = this.#responder.busy || this.tools.pending || this.#inbox.length > 0;
    return asked || this.#options.recognising();
  }

  /** Greets, and discloses first. `byName`: a person, who may be greeted by name. */
  greet({ byName }: { readonly byName: boolean }): void {
    const { greeting, namedGreeting } = this.#options.opening;
    this.#sayFirst(byName ? namedGreeting : greeting);
  }

  /** For an answering machine. */
  leaveMessage(): void {
    this.#sayFirst(this.#options.opening.message);
  }

  /** After another greeting the disclosure is known: then all of it is the agent's own. */
  #sayFirst({ disclosure, text, own }: FirstWords): void {
    const isOwed = this.#proof.owed !== "";
    if (isOwed) this.#disclose(disclosure);
    this.#speech.say(isOwed ? text : own, "greeting");
  }

  /** The answer to this is being thought out already. */
  isEarly(input: LlmInput): boolean {
    return this.#responder.isPrepared(input);
  }

  /** The agent's last words asked for a number, a name or an address. */
  get askedForDictation(): boolean {
    return asksForDictation(this.#lastText, this.#options.activeLanguage.language);
  }

  /** Gives the LLM an input now, or as soon as a running tool has answered. */
  ask(input: LlmInput): void {
    this.#inbox.push(input);
    this.readInbox();
  }

  /** The caller finished an utterance: from its last voiced frame the latency counts. */
  callerFinished(utterance: AnsweredUtterance): void {
    this.#turn.callerFinished(utterance);
    this.#expected = "open";
  }

  /** Asks the LLM ahead of time; `ask` with the same input takes the answer over. */
  askEarly(input: LlmInput): void {
    if (this.#inbox.length === 0 && !this.toolAtWork) this.#responder.prepare(input);
  }

  /** The caller went on: what was asked ahead of time is void. */
  dropEarly(): void {
    this.#responder.dropPrepared();
  }

  /** Says its sentence to the end and nothing more. */
  keepToSentence(): void {
    this.#responder.abort();
    this.#speech.keepToSentence();
  }

  get lastSentenceSaid(): boolean {
    return this.#speech.lastSentenceSaid;
  }

  /** The caller is back: says why, and tells an LLM that asked. */
  transferFailed(cause: TransferFailure): void {
    const explanation = this.#options.activeLanguage.phrases.transferFailed[cause];
    const toolCallId = this.#transferRequests.settled();
    this.sayPhrase(explanation);
    if (toolCallId === null) return;
    const output = { error: `not transferred: ${cause}`, already_said: explanation };
    this.#answerTool({ type: "tool_result", toolCallId, ok: false, output });
  }

  /** One frame has passed: where does the agent's turn stand? */
  followPlayout(): void {
    const { playedMs } = this.#options.audio;
    const playing = playedMs > this.#playedMs && this.#speech.audible;
    this.#playedMs = playedMs;
    if (playing) this.#turn.audible();
    this.#proof.follow(this.#speech.disclosureShare);
    this.#guardSilence(playing);
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
    this.#proof.follow(this.#speech.disclosureShare);
    this.#proof.cut();
    const spoken = this.#speech.stop(fadeMs);
    this.#turn.end(spoken, spoken.cut);
    return spoken;
  }

  /** All was said. */
  finishTurn(): void {
    this.#proof.follow(this.#speech.disclosureShare);
    this.#turn.end(this.#speech.finish(), false);
  }

  /** Forgets what is waiting for the LLM, but for answers of tools. */
  forgetInputs(): void {
    this.#inbox = this.#inbox.filter((input) => input.type === "tool_result");
  }

  /** Something is being said, or is about to be. */
  get hasWords(): boolean {
    return this.#speech.hasWords;
  }

  /** The voice was lost and is back. */
  retrySpeech(): void {
    this.#speech.retry();
  }

  /** A phrase of the conversation's own. Only last words may come before the disclosure. */
  sayPhrase(text: string): void {
    if (this.#machine.state.name !== "closing") this.#disclose();
    this.#speech.say(text, "phrase");
  }

  /** A phrase in the place of an answer of the LLM's, and what the caller will say to it. */
  sayInstead(text: string, expected: ExpectedAnswer): void {
    this.#responder.dropPrepared();
    if (this.protectedNow) this.#responder.abort();
    else if (this.#machine.state.name === "agent_speaking")
      this.stop(this.#options.settings.bargeInFadeMs);
    this.#machine.apply({ type: "respond" });
    this.sayPhrase(text);
    this.#expect(expected);
  }

  /** Goes on with what was not heard before a false interruption. */
  resume(unplayed: readonly string[]): void {
    for (const text of unplayed) this.#speech.say(text, "llm");
  }

  /** The wait for a tool goes on in silence (again). */
  awaitTool(): void {
    if (this.tools.pending) this.tools.armFiller();
  }

  /** No tool and no input counts any more. */
  dropInputs(): void {
    this.tools.stop();
    this.#inbox = [];
  }

  readInbox(): void {
    const { name } = this.#machine.state;
    const [next] = this.#inbox;
    if (!next || name === "closing" || name === "ended") return;
    const callerHasTurn = name === "caller_speaking" || name === "endpointing";
    const isResult = next.type === "tool_result";
    if (isResult ? this.#responder.busy || callerHasTurn : this.toolAtWork) return;
    this.#inbox.shift();
    if (!isResult || name !== "agent_speaking") this.#machine.apply({ type: "respond" });
    this.#idlePrompt.follow(next);
    this.#responder.respond(next);
  }

  #answerDone(): void {
    if (!this.#speech.hasWords) this.#idlePrompt.unworded();
    this.readInbox();
  }

  #say(text: string): void {
    this.#turn.mark("firstToken");
    this.#lastText = text;
    this.#disclose();
    this.#speech.say(text, "llm");
  }

  /** What is owed, in these words. */
  #disclose(words = this.#proof.owed): void {
    if (this.#proof.owed === "") return;
    this.#speech.say(words, "disclosure");
    this.#proof.saying(words, this.#options.activeLanguage.language);
  }

  #expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
    this.#options.engine.stt.expect(answer);
  }

  /** A tool takes its time. */
  #fill(): void {
    const silent = this.#machine.state.name === "thinking" && !this.#speech.busy;
    if (silent && !this.#options.callerSpeaks())
      this.sayPhrase(this.#options.activeLanguage.fillers.next());
    else this.tools.armFiller();
  }

  /** The agent has said what it had to say, perhaps nothing. */
  #settle(how: "agent_done" | "nothing_to_say"): void {
    this.finishTurn();
    this.#idlePrompt.follow(null);
    this.#machine.apply({ type: how });
    const request = this.#transferRequests.takePending();
    if (request === null) return;
    const { target, announcement } = request;
    this.#options.emit({ type: "transfer_requested", target, announcement });
  }

  #toolsUsedUp(): void {
    const { log, transcript, clock, emit } = this.#options;
    log.warn("conversation.tool_limit", { tool_calls: this.tools.made });
    const atMs = transcript.sinceAnswer(clock.monotonic());
    emit({ type: "note", note: { kind: "tool_limit", atMs, toolCalls: this.tools.made } });
  }

  #answerTool(answer: ToolAnswer): void {
    this.#inbox.unshift(answer);
    this.readInbox();
  }

  /** Never silent: the agent means to speak, and nothing is to be heard. */
  #guardSilence(playing: boolean): void {
    const { name } = this.#machine.state;
    const hasTurn =
      (name === "thinking" || name === "agent_speaking") && !this.#options.callerSpeaks();
    const isAudible = playing || this.tools.pending || !this.#speech.starving;
    this.#neverSilent.follow({ hasTurn, isAudible });
  }
}
