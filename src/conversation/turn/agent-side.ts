/**
 * The agent's side of a dialogue: orders the LLM's inputs, speaks its answers, waits for its tools, and
 * follows the playout per frame to detect when its turn begins and ends.
 *
 * Guarantees: the disclosure comes before any other word. A tool's result reaches the LLM before words that
 * the caller said meanwhile, and neither is lost. An answer never clips a filler (both use one queue).
 * turn-controller.ts decides when the caller may take the turn.
 */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
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
import { FillerPhrases } from "../speech/filler-phrases.ts";
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
  /** True while the caller speaks or an utterance is being recognised. */
  readonly callerSpeaks: () => boolean;
  readonly recognising: () => boolean;
  /** Called with each text before it is spoken. */
  readonly onText: (text: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** Called when the agent switches its language. */
  readonly onLanguage: () => void;
  /** In `closing`: called with every frame once nothing is left to say. */
  readonly onSilent: () => void;
}

export class AgentSide {
  readonly #options: AgentSideOptions;
  readonly #machine: TurnMachine;
  readonly #speech: AgentSpeech;
  readonly #turn: AgentTurn;
  readonly #responder: Responder;
  readonly tools: ToolCalls;
  /** Inputs that wait until the LLM is free, tool results first. */
  #inbox: LlmInput[] = [];
  #expected: ExpectedAnswer = "open";
  /** The LLM's last piece of text. */
  #lastText = "";
  readonly #builtIns: BuiltIns;
  readonly #filler: FillerPhrases;
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
    this.#filler = new FillerPhrases({ settings, activeLanguage, say, speech: this.#speech });
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

  /** Kind of answer that the LLM expects from the caller. */
  get expected(): ExpectedAnswer {
    return this.#expected;
  }

  /** True while words that must not be cut are spoken. */
  get protectedNow(): boolean {
    return this.#speech.protectedNow;
  }

  /** True while a tool runs or its result is being answered. */
  get toolAtWork(): boolean {
    return this.tools.pending || this.#responder.answersTool;
  }

  get toolPending(): boolean {
    return this.tools.pending;
  }

  /** True if only the end of the last sentence remains to be played. */
  get nearlyDone(): boolean {
    const { remainingMs, protectedNow } = this.#speech;
    if (this.#responder.busy || protectedNow || remainingMs === null) return false;
    return remainingMs <= NEARLY_DONE_MS;
  }

  /** True if more words are expected in this turn. */
  get moreToCome(): boolean {
    const asked = this.#responder.busy || this.tools.pending || this.#inbox.length > 0;
    return asked || this.#options.recognising();
  }

  /** Speaks the disclosure and greeting. `byName`: a person answered, who may be greeted by name. */
  greet({ byName }: { readonly byName: boolean }): void {
    const { greeting, namedGreeting } = this.#options.opening;
    this.#sayFirst(byName ? namedGreeting : greeting);
  }

  /** Says the message for an answering machine. */
  leaveMessage(): void {
    this.#sayFirst(this.#options.opening.message);
  }

  /** Skips the disclosure if an earlier greeting has already said it. */
  #sayFirst({ disclosure, text, own }: FirstWords): void {
    const isOwed = this.#proof.owed !== "";
    if (isOwed) this.#disclose(disclosure);
    this.#speech.say(isOwed ? text : own, "greeting");
  }

  /** True if an early answer to this input is in preparation. */
  isEarly(input: LlmInput): boolean {
    return this.#responder.isPrepared(input);
  }

  /** True if the agent's last words asked for a number, a name or an address. */
  get askedForDictation(): boolean {
    return asksForDictation(this.#lastText, this.#options.activeLanguage.language);
  }

  /** Sends an input to the LLM now, or after a running tool has finished. */
  ask(input: LlmInput): void {
    this.#inbox.push(input);
    this.readInbox();
  }

  /** The caller finished an utterance; latency counts from its last voiced frame. */
  callerFinished(utterance: AnsweredUtterance): void {
    this.#turn.callerFinished(utterance);
    this.#expected = "open";
  }

  /** Asks the LLM ahead of time. `ask` with the same input uses the early answer. */
  askEarly(input: LlmInput): void {
    if (this.#inbox.length === 0 && !this.toolAtWork) this.#responder.prepare(input);
  }

  /** Discards an early answer because the caller continued. */
  dropEarly(): void {
    this.#responder.dropPrepared();
  }

  /** Finishes the current sentence and says nothing more. */
  keepToSentence(): void {
    this.#responder.abort();
    this.#speech.keepToSentence();
  }

  get lastSentenceSaid(): boolean {
    return this.#speech.lastSentenceSaid;
  }

  /** The caller is back: explains why, and returns the failure to the LLM if it requested the transfer. */
  transferFailed(cause: TransferFailure): void {
    const explanation = this.#options.activeLanguage.phrases.transferFailed[cause];
    const toolCallId = this.#transferRequests.settled();
    this.sayPhrase(explanation);
    if (toolCallId === null) return;
    const output = { error: `not transferred: ${cause}`, already_said: explanation };
    this.#answerTool({ type: "tool_result", toolCallId, ok: false, output });
  }

  /** Updates the agent's turn after each frame. */
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

  /** Stops the LLM and the speech with a fade-out. Running tools continue. */
  stop(fadeMs: number): Spoken {
    this.#responder.abort();
    return this.endTurn(fadeMs);
  }

  /** Stops the speech only. */
  endTurn(fadeMs: number): Spoken {
    this.#proof.follow(this.#speech.disclosureShare);
    this.#proof.cut();
    const spoken = this.#speech.stop(fadeMs);
    this.#turn.end(spoken, spoken.cut);
    return spoken;
  }

  /** The turn ends with everything said. */
  finishTurn(): void {
    this.#proof.follow(this.#speech.disclosureShare);
    this.#turn.end(this.#speech.finish(), false);
  }

  /** Drops the inputs that wait for the LLM, except for tool results. */
  forgetInputs(): void {
    this.#inbox = this.#inbox.filter((input) => input.type === "tool_result");
  }

  /** True while text is being said or waits to be said. */
  get hasWords(): boolean {
    return this.#speech.hasWords;
  }

  /** TTS is back after a failure. */
  retrySpeech(): void {
    this.#speech.retry();
  }

  /** Says a fixed phrase. Only last words may come before the disclosure. */
  sayPhrase(text: string): void {
    if (this.#machine.state.name !== "closing") this.#disclose();
    this.#speech.say(text, "phrase");
  }

  /** Says a fixed phrase in place of an LLM answer, and sets the kind of reply to expect. */
  sayInstead(text: string, expected: ExpectedAnswer): void {
    this.#responder.dropPrepared();
    if (this.protectedNow) this.#responder.abort();
    else if (this.#machine.state.name === "agent_speaking")
      this.stop(this.#options.settings.bargeInFadeMs);
    this.#machine.apply({ type: "respond" });
    this.sayPhrase(text);
    this.#expect(expected);
  }

  /** Resumes the unheard text after a false interruption. */
  resume(unplayed: readonly string[]): void {
    for (const text of unplayed) this.#speech.say(text, "llm");
  }

  /** Restarts the wait for a filler while a tool runs. */
  awaitTool(): void {
    if (this.tools.pending) this.tools.armFiller();
  }

  /** Cancels all tools and drops all inputs. */
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

  /** Says the pending disclosure with these words. */
  #disclose(words = this.#proof.owed): void {
    if (this.#proof.owed === "") return;
    this.#speech.say(words, "disclosure");
    this.#proof.saying(words, this.#options.activeLanguage.language);
  }

  #expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
    this.#options.engine.stt.expect(answer);
  }

  /** Says a filler while a slow tool runs. */
  #fill(): void {
    const silent = this.#machine.state.name === "thinking" && !this.#speech.busy;
    if (silent && !this.#options.callerSpeaks())
      this.sayPhrase(this.#options.activeLanguage.fillers.next());
    else this.tools.armFiller();
  }

  /** Ends the agent's turn, even if it said nothing. */
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

  /** Plays a phrase if the agent should speak but is not audible. */
  #guardSilence(playing: boolean): void {
    const { name } = this.#machine.state;
    const hasTurn =
      (name === "thinking" || name === "agent_speaking") && !this.#options.callerSpeaks();
    const isAudible = playing || this.tools.pending || !this.#speech.starving;
    this.#filler.follow({ hasTurn, isAudible });
  }
}
