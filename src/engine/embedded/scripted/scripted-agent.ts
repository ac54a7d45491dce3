/**
 * The dialog: takes one input and returns the next phrases and actions. Pure except for its own
 * state; never waits. Every path says or does something, so the caller never hears silence.
 */

import type { ToolSnapshot } from "../../../conversation/call-config.ts";
import type { ExpectedAnswer, LlmEvent, LlmInput } from "../../../conversation/engine-port.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { fill } from "../../../core/texts.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import type { KnowledgePassage } from "../../../features/knowledge/knowledge-index.ts";
import { CallRecord } from "./call-record.ts";
import {
  type DialogState,
  type Filling,
  type LeavingIntent,
  OPEN,
  OPEN_AFTER_OFFER,
} from "./dialog-state.ts";
import { isCertain, matchIntent } from "./intents.ts";
import type { Intent } from "./lexicon.ts";
import { choiceOfTwo, menuChoice, menuText } from "./menu.ts";
import { PHRASES, type Phrases } from "./phrases.ts";
import {
  expectedAnswer,
  needsConfirmation,
  readable,
  type Slot,
  slotsOf,
  valueFromKeys,
  valueFromSpeech,
} from "./slots.ts";
import { speechOfResult } from "./tool-speech.ts";
import { type Finding, findingIn, type Topic } from "./topics.ts";

type Step = Exclude<LlmEvent, { type: "done" }>;

/** The part of the agent's topics needed for one input. */
export interface KnownTopics {
  readonly offered: readonly Topic[];
  find(text: string): Finding;
}

interface ScriptedAgentOptions {
  readonly language: AgentLanguage;
  readonly transferTarget: string | null;
  /** Whether speech is understood now. */
  readonly hears: () => boolean;
  readonly now: () => number;
  readonly newToolCallId: () => string;
}

const ATTEMPTS_MAX = 3;
const TOPICS_LISTED_MAX = 3;

export class ScriptedAgent {
  readonly record = new CallRecord();
  readonly #options: ScriptedAgentOptions;
  readonly #phrases: Phrases;
  #mode: DialogState = OPEN;
  #misses = 0;
  #lastSpoken = "";
  /** Passages found for the caller's last words, in addition to the given entries. */
  #passages: readonly KnowledgePassage[] = [];
  #topics: KnownTopics = { offered: [], find: () => ({ zone: "unknown" }) };

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
    this.#phrases = PHRASES[options.language];
  }

  /** `topics` contains the results for `textsToFind`. */
  respond(input: LlmInput, topics: KnownTopics): readonly Step[] {
    this.#topics = topics;
    const steps = this.#stepsFor(input);
    const spoken = steps.flatMap((step) => (step.type === "text" ? [step.text] : []));
    if (spoken.length > 0) this.#lastSpoken = spoken.join(" ");
    if (steps.some((step) => step.type === "expect")) return steps;
    const keys = steps.at(-1)?.type === "text" ? this.#keysToPress() : null;
    const named = keys === null ? steps : [...steps, say(keys)];
    return [...named, { type: "expect", answer: this.#expected() }];
  }

  /**
   * Keys for the expected answer if speech is not recognised. Null if speech is recognised, or if
   * there are no such keys.
   */
  #keysToPress(): string | null {
    const answer = this.#expected();
    const { pressYesNo, pressOneOrTwo, byKeypad } = this.#phrases;
    if (answer !== "yes_no" && answer !== "digits" && answer !== "time") return null;
    if (this.#options.hears()) return null;
    if (answer === "yes_no") return pressYesNo;
    return this.#mode.type === "confirming" ? pressOneOrTwo : byKeypad;
  }

  /** Texts to search the topics for. */
  textsToFind(text: string): readonly string[] {
    const rest = matchIntent(text, this.#options.language)?.rest ?? "";
    return rest === "" || rest === text ? [text] : [text, rest];
  }

  /** The caller heard only this much of the last response. */
  truncateSpoken(text: string): void {
    if (text.trim() !== "") this.#lastSpoken = text;
  }

  #stepsFor(input: LlmInput): Step[] {
    switch (input.type) {
      case "utterance":
        this.record.spoke = true;
        this.#passages = input.passages ?? [];
        return this.#handleUtterance(input.text, input.confidence);
      case "digits":
        this.record.spoke = true;
        return this.#keys(input.digits);
      case "tool_result":
        return this.#toolResult(input.toolCallId, input.ok, input.output);
      case "silence":
        return this.#silence(input.count);
    }
  }

  #handleUtterance(text: string, confidence: number): Step[] {
    const mode = this.#mode;
    if (mode.type === "recording") return this.#takeMessage(text.trim());
    if (text.trim() === "") return this.#handleMiss();
    const { language } = this.#options;
    const meaning = matchIntent(text, language);
    const certain = meaning !== null && isCertain(meaning, { text, confidence }, language);
    if (meaning?.intent === "repeat") return this.#repeat();
    if (meaning !== null && ["goodbye", "human", "message", "cancel"].includes(meaning.intent)) {
      const known = meaning.whole ? null : this.#topics.find(text);
      if (known?.zone !== "sure") return this.#act(meaning.intent, certain);
    }
    if (mode.type === "confirming" && mode.other !== null) {
      const choice = choiceOfTwo(text, language);
      if (choice !== null) return this.#enter(choice === 1 ? mode.topic : mode.other);
    }
    if (mode.type === "confirming" || mode.type === "offering" || mode.type === "leaving") {
      if (meaning?.intent === "yes") return this.#confirmed(mode);
      if (meaning?.intent === "no") return this.#denied(meaning.rest);
      if (meaning?.intent === "listening") return this.#handleMiss();
    }
    if (mode.type === "filling") return this.#fillFromSpeech(mode, text);
    if (meaning !== null && (meaning.whole || meaning.intent === "thanks")) {
      const topic = meaning.whole ? null : this.#topics.find(text);
      if (topic?.zone !== "sure") return this.#act(meaning.intent, certain);
    }
    return this.#ask(meaning?.rest || text);
  }

  #ask(text: string): Step[] {
    const known = this.#topics.find(text);
    const finding = known.zone === "unknown" ? findingIn(this.#passages) : known;
    if (finding.zone === "unknown") return this.#handleMiss();
    if (finding.zone === "unsure") return this.#didYouMean(finding.topic, finding.other);
    return this.#enter(finding.topic);
  }

  #didYouMean(topic: Topic, other: Topic | null): Step[] {
    if (topic.title === "") return this.#enter(topic);
    this.#mode = { type: "confirming", topic, other, misses: 0 };
    if (other !== null) {
      const titles = { first: topic.title, second: other.title };
      return [say(fill(this.#phrases.whichOfTwo, titles))];
    }
    const phrase = topic.type === "tool" ? this.#phrases.shallI : this.#phrases.didYouMean;
    return [say(fill(phrase, { question: topic.title, tool: topic.title }))];
  }

  #enter(topic: Topic): Step[] {
    this.#misses = 0;
    if (topic.type === "tool") return this.#startFilling(topic.tool);
    this.#mode = OPEN;
    this.record.addAnswer(topic.title === "" ? topic.answer.slice(0, 60) : topic.title);
    return [say(topic.answer)];
  }

  #confirmed(mode: Extract<DialogState, { type: "confirming" | "offering" | "leaving" }>): Step[] {
    if (mode.type === "leaving") return this.#leave(mode.intent);
    return mode.type === "confirming" ? this.#enter(mode.topic) : this.#askForMessage();
  }

  #denied(rest: string): Step[] {
    const { type } = this.#mode;
    this.#mode = OPEN_AFTER_OFFER;
    if (rest !== "") return this.#ask(rest);
    if (type === "offering" || type === "leaving") return [say(this.#phrases.anythingElse)];
    return this.#handleMiss();
  }

  /** `certain`: a leaving intent needs no question. If false, the agent asks first. */
  #act(intent: Intent, certain: boolean): Step[] {
    const phrases = this.#phrases;
    const afterOffer = this.#mode.type === "open" && this.#mode.askedForMore;
    switch (intent) {
      case "goodbye":
        return this.#leaveIf(certain, "goodbye");
      case "no":
        return afterOffer
          ? this.#leaveIf(certain, "goodbye")
          : this.#openWith(phrases.anythingElse);
      case "yes":
      case "listening":
        return this.#openWith(phrases.goAhead);
      case "greeting":
        return this.#openWith(phrases.greeting);
      case "thanks":
        return this.#openWith(`${phrases.welcome} ${phrases.anythingElse}`);
      case "repeat":
        return this.#repeat();
      case "human":
        return this.#leaveIf(certain, "human");
      case "message":
        return this.#askForMessage();
      case "cancel":
        return this.#openWith(`${phrases.cancelled} ${phrases.anythingElse}`);
      case "help":
        return this.#options.hears() ? this.#openWith(this.#topicsText()) : this.#showMenu(0);
    }
  }

  #openWith(text: string): Step[] {
    this.#mode = OPEN_AFTER_OFFER;
    return [say(text)];
  }

  /** The second time, the intent is certain. */
  #leaveIf(certain: boolean, intent: LeavingIntent): Step[] {
    const mode = this.#mode;
    const isRepeated = mode.type === "leaving" && mode.intent === intent;
    const staysHere = intent === "human" && this.#options.transferTarget === null;
    if (certain || isRepeated || staysHere) return this.#leave(intent);
    this.#mode = { type: "leaving", intent, misses: 0 };
    return [say(intent === "human" ? this.#phrases.wantPerson : this.#phrases.endCall)];
  }

  #leave(intent: LeavingIntent): Step[] {
    this.#mode = OPEN;
    return intent === "human" ? this.#human() : this.#goodbye();
  }

  #goodbye(): Step[] {
    this.#mode = OPEN;
    return [say(this.#phrases.goodbye), { type: "end_call" }];
  }

  #human(): Step[] {
    const { transferTarget } = this.#options;
    if (transferTarget === null) return this.#offerMessage(this.#phrases.nobodyFree);
    this.record.transferred = true;
    return [say(this.#phrases.transferring), { type: "transfer", target: transferTarget }];
  }

  #offerMessage(text: string): Step[] {
    this.#mode = { type: "offering" };
    if (this.record.message === "none") this.record.message = "offered";
    return [say(text)];
  }

  #askForMessage(): Step[] {
    this.#mode = { type: "recording" };
    return [say(this.#phrases.leaveMessage)];
  }

  #takeMessage(text: string): Step[] {
    this.record.message = "taken";
    this.#mode = OPEN_AFTER_OFFER;
    const thanks = say(`${this.#phrases.messageTaken} ${this.#phrases.anythingElse}`);
    return text === "" ? [thanks] : [{ type: "message", text }, thanks];
  }

  #repeat(): Step[] {
    return [say(this.#lastSpoken || this.#phrases.nothingToRepeat)];
  }

  /** Nothing was understood: offers the list, then the keypad menu, then a message. */
  #handleMiss(): Step[] {
    const mode = this.#mode;
    if (mode.type === "filling") return this.#askAgain(mode);
    this.#misses++;
    this.record.notUnderstood++;
    if ((mode.type === "confirming" || mode.type === "leaving") && mode.misses === 0) {
      this.#mode = { ...mode, misses: 1 };
      const isChoice = mode.type === "confirming" && mode.other !== null;
      return [say(isChoice ? this.#lastSpoken : this.#yesOrNoAgain())];
    }
    if (mode.type === "offering" && this.#misses < ATTEMPTS_MAX + 2) {
      return [say(this.#yesOrNoAgain())];
    }
    if (this.#misses >= ATTEMPTS_MAX) {
      this.#misses = 0;
      return this.#offerMessage(this.#phrases.giveUp);
    }
    if (this.#misses === 2 || !this.#options.hears()) return this.#showMenu(0);
    this.#mode = OPEN;
    return [say(`${this.#phrases.sorry} ${this.#topicsText()}`)];
  }

  #yesOrNoAgain(): string {
    const { confirmYesNo, slotNotUnderstood } = this.#phrases;
    return this.#options.hears() ? confirmYesNo : slotNotUnderstood;
  }

  #topicsText(): string {
    const titles = this.#topics.offered.slice(0, TOPICS_LISTED_MAX).map(({ title }) => title);
    if (titles.length === 0) return this.#phrases.nobodyFree;
    const last = titles.pop() ?? "";
    const listed = titles.length === 0 ? last : `${titles.join(" ")} ${this.#phrases.or} ${last}`;
    return fill(this.#phrases.canHelpWith, { topics: listed });
  }

  #showMenu(page: number): Step[] {
    this.#mode = { type: "menu", page };
    return [say(menuText(this.#topics.offered, page, this.#phrases))];
  }

  #keys(digits: string): Step[] {
    const mode = this.#mode;
    const key = digits.replace(/\D/g, "");
    switch (mode.type) {
      case "filling":
        return this.#fillFromKeys(mode, digits);
      case "confirming":
      case "offering":
      case "leaving":
        if (key === "2" && mode.type === "confirming" && mode.other !== null)
          return this.#enter(mode.other);
        if (key === "1") return this.#confirmed(mode);
        if (key === "2") return this.#denied("");
        break;
      case "recording":
        return this.#takeMessage("");
      default:
    }
    if (key === "0") return this.#human();
    const page = mode.type === "menu" ? mode.page : 0;
    const choice = menuChoice(this.#topics.offered, page, key);
    if (choice === "more") return this.#showMenu(page + 1);
    return choice === null ? this.#showMenu(page) : this.#enter(choice);
  }

  #silence(count: number): Step[] {
    const prompt = count <= 1 ? this.#phrases.stillThere : this.#phrases.cannotHear;
    if (this.#mode.type === "filling") return [say(prompt), say(this.#question(this.#mode))];
    return [say(count <= 1 ? `${prompt} ${this.#reminder()}`.trim() : prompt)];
  }

  #reminder(): string {
    if (this.#expected() === "yes_no")
      return this.#options.hears() ? this.#phrases.confirmYesNo : "";
    return this.#mode.type === "recording" ? this.#phrases.leaveMessage : this.#phrases.goAhead;
  }

  // Tools.

  #startFilling(tool: ToolSnapshot): Step[] {
    const slots = slotsOf(tool);
    if (slots.length === 0) return this.#callTool(tool, {});
    this.#mode = { type: "filling", tool, values: {}, slots, attempts: 0, unconfirmed: null };
    return [say(this.#question(this.#mode))];
  }

  #question(mode: Filling): string {
    const [slot] = mode.slots;
    if (slot === undefined) return this.#phrases.goAhead;
    if (mode.unconfirmed !== null) {
      return fill(this.#phrases.isThatRight, { value: readable(slot, mode.unconfirmed) });
    }
    const ask = fill(this.#phrases.tellMe, { label: slot.label });
    const options = slot.options.map((option) => option.replace(/[_-]+/g, " "));
    if (options.length > 0) {
      return `${ask} ${fill(this.#phrases.chooseOne, { options: orList(options, this.#phrases) })}`;
    }
    const isSaid = slot.kind === "yes_no" && this.#options.hears();
    return isSaid ? `${ask} ${this.#phrases.yesOrNo}` : ask;
  }

  #fillFromSpeech(mode: Filling, text: string): Step[] {
    const [slot] = mode.slots;
    const { language, now } = this.#options;
    if (slot === undefined) return this.#callTool(mode.tool, mode.values);
    if (mode.unconfirmed !== null) {
      const intent = matchIntent(text, language)?.intent;
      if (intent === "yes") return this.#accept(mode, slot, mode.unconfirmed);
      if (intent === "no") return this.#askAgain({ ...mode, unconfirmed: null });
      return this.#askAgain(mode);
    }
    const value = valueFromSpeech(slot, text, language, now());
    if (value === null) return this.#askAgain(mode);
    if (!needsConfirmation(slot, value, false)) return this.#accept(mode, slot, value);
    const asking: Filling = { ...mode, unconfirmed: value };
    this.#mode = asking;
    return [say(this.#question(asking))];
  }

  #fillFromKeys(mode: Filling, digits: string): Step[] {
    const [slot] = mode.slots;
    if (slot === undefined) return this.#callTool(mode.tool, mode.values);
    if (mode.unconfirmed !== null && /^[12]#?$/.test(digits)) {
      if (digits.startsWith("1")) return this.#accept(mode, slot, mode.unconfirmed);
      return this.#askAgain({ ...mode, unconfirmed: null });
    }
    const value = valueFromKeys(slot, digits);
    return value === null ? this.#askAgain(mode) : this.#accept(mode, slot, value);
  }

  #accept(mode: Filling, slot: Slot, value: JsonValue): Step[] {
    this.#misses = 0;
    const values = { ...mode.values, [slot.name]: value };
    const slots = mode.slots.slice(1);
    if (slots.length === 0) return this.#callTool(mode.tool, values);
    const next: Filling = { ...mode, values, slots, attempts: 0, unconfirmed: null };
    this.#mode = next;
    return [say(this.#question(next))];
  }

  #askAgain(mode: Filling): Step[] {
    const attempts = mode.attempts + 1;
    if (attempts >= ATTEMPTS_MAX) {
      this.record.notUnderstood++;
      return this.#offerMessage(this.#phrases.giveUp);
    }
    const again: Filling = { ...mode, attempts };
    this.#mode = again;
    const kind = mode.slots[0]?.kind;
    const isTyped = (kind === "digits" || kind === "number") && this.#options.hears();
    const keypad = isTyped ? ` ${this.#phrases.byKeypad}` : "";
    return [say(`${this.#phrases.slotNotUnderstood} ${this.#question(again)}${keypad}`)];
  }

  #callTool(tool: ToolSnapshot, values: JsonObject): Step[] {
    const toolCallId = this.#options.newToolCallId();
    this.#mode = { type: "waiting", toolCallId, tool };
    return [
      say(this.#phrases.oneMoment),
      { type: "tool_call", toolCallId, tool: tool.name, arguments: values },
    ];
  }

  #toolResult(toolCallId: string, ok: boolean, output: JsonValue): Step[] {
    const mode = this.#mode;
    if (mode.type !== "waiting" || mode.toolCallId !== toolCallId) return [];
    this.record.addTool(mode.tool.name, ok);
    if (!ok) return this.#offerMessage(this.#phrases.toolFailed);
    const speech = speechOfResult(output) || this.#phrases.done;
    return this.#openWith(`${endSentence(speech)} ${this.#phrases.anythingElse}`);
  }

  #expected(): ExpectedAnswer {
    const mode = this.#mode;
    switch (mode.type) {
      case "confirming":
        return mode.other === null ? "yes_no" : "digits";
      case "offering":
      case "leaving":
        return "yes_no";
      case "menu":
        return "keys";
      case "filling": {
        const [slot] = mode.slots;
        if (mode.unconfirmed !== null) return "yes_no";
        return slot === undefined ? "open" : expectedAnswer(slot);
      }
      default:
        return "open";
    }
  }
}

function say(text: string): Step {
  return { type: "text", text };
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

function orList(options: readonly string[], phrases: Phrases): string {
  if (options.length < 2) return options.join("");
  return `${options.slice(0, -1).join(", ")} ${phrases.or} ${options.at(-1)}`;
}
