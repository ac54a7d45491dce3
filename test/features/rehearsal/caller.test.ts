/** The caller of a rehearsal: when it speaks, how long it waits for a silent agent, and when it hangs up. */
import { expect, test } from "bun:test";
import {
  type CallerLine,
  type PersonaPlayer,
  playPersona,
  playScript,
} from "../../../src/features/rehearsal/caller.ts";
import type { Step } from "../../../src/features/rehearsal/scenario.ts";

/** A line whose `until` passes time at once; `waits` and `speaks` say what the agent does. */
class TestLine implements CallerLine {
  ended = false;
  nowMs = 0;
  agentTurns: string[] = [];
  readonly done: string[] = [];
  /** The longest wait without success. */
  longestMs = 0;

  constructor(
    private readonly waits: (atMs: number) => boolean,
    private readonly speaks: (atMs: number) => boolean = () => false,
  ) {}

  get agentWaits(): boolean {
    return this.waits(this.nowMs);
  }
  get agentSpeaks(): boolean {
    return this.speaks(this.nowMs);
  }
  async until(holds: () => boolean, limitMs: number): Promise<void> {
    const from = this.nowMs;
    while (!holds() && !this.ended && this.nowMs - from < limitMs) this.nowMs += 1;
    if (!holds()) this.longestMs = Math.max(this.longestMs, this.nowMs - from);
  }
  async say(text: string): Promise<void> {
    this.#note(text);
  }
  async press(keys: string): Promise<void> {
    this.#note(keys);
  }
  async hold(ms: number): Promise<void> {
    this.#note(`hold ${ms}`);
  }
  hangUp(): void {
    this.#note("hang up");
    this.ended = true;
  }
  #note(what: string): void {
    this.done.push(`${this.nowMs} ${what}`);
  }
}

const step = (deed: Partial<Step>): Step => ({ must: [], never: [], ...deed });

test("speaks 0.4 s after the agent has finished, or at the configured time", async () => {
  const line = new TestLine((atMs) => atMs >= 1_000);
  const script = [
    ...[step({ say: "Hello" }), step({ say: "Yes", after_ms: 2_000 }), step({ press: "1" })],
    ...[step({ silent_ms: 3_000 }), step({ hold_ms: 500 })],
  ];
  const { steps } = await playScript(line, script);
  expect(line.done).toEqual([
    ...["1400 Hello", "3400 Yes", "3800 1", "7600 hold 500", "8000 hang up"],
  ]);
  expect(steps.map(({ step: place, atMs }) => [place, atMs])).toEqual([
    ...[
      [0, 1_400],
      [1, 3_400],
      [2, 3_800],
      [3, 4_200],
      [4, 7_600],
    ],
  ]);
});

test.each([
  ["interrupt", undefined, 1_800],
  ["mumble", undefined, 1_800],
  ["interrupt", 300, 1_300],
] as const)("%s with after_ms %p: at %d ms", async (deed, after_ms, atMs) => {
  const line = new TestLine(
    (now) => now >= 5_000,
    (now) => now >= 1_000 && now < 5_000,
  );
  await playScript(line, [
    step({ [deed]: "Wait", ...(after_ms === undefined ? {} : { after_ms }) }),
  ]);
  expect(line.done[0]).toBe(`${atMs} Wait`);
});

test("an interruption comes as normal speech if the agent finishes earlier", async () => {
  const line = new TestLine(
    (now) => now >= 1_200,
    (now) => now >= 1_000 && now < 1_200,
  );
  await playScript(line, [step({ interrupt: "Wait" })]);
  expect(line.done[0]).toBe("1200 Wait");
});

test("waits a minute for an agent that does not finish, and half a minute at the end of a persona", async () => {
  const script = new TestLine(() => false);
  await playScript(script, [step({ say: "Hello" })]);
  expect([script.longestMs, script.done]).toEqual([60_000, ["60400 Hello", "120800 hang up"]]);
  const persona = new TestLine(() => false);
  await playPersona(persona, { goal: "A", knows: {}, turns_max: 1 }, async () => "Hello");
  expect([persona.longestMs, persona.done]).toEqual([60_000, ["60000 Hello", "90000 hang up"]]);
});

test("a persona gets the new words, speaks up to its limit, and stops when it has finished", async () => {
  const heard: string[][] = [];
  const player =
    (most: number): PersonaPlayer =>
    async (_, said) => {
      heard.push([...said]);
      return heard.length > most ? null : `Words ${heard.length}`;
    };
  const line = new TestLine(() => true);
  line.agentTurns = ["Hello."];
  const { steps } = await playPersona(line, { goal: "A", knows: {}, turns_max: 2 }, player(9));
  expect(steps).toHaveLength(2);
  expect(heard).toEqual([["Agent: Hello."], ["Agent: Hello.", "You: Words 1"]]);
  heard.length = 0;
  const silent = new TestLine(() => true);
  await playPersona(silent, { goal: "A", knows: {}, turns_max: 9 }, player(1));
  expect(silent.done).toEqual(["0 Words 1", "0 hang up"]);
});

test("does nothing after the end of the call", async () => {
  const line = new TestLine(() => true);
  const { steps } = await playScript(line, [step({ hang_up: true }), step({ say: "Hello" })]);
  expect([line.done[0], steps.length]).toEqual(["400 hang up", 1]);
  const over = new TestLine(() => true);
  over.ended = true;
  const played = await playPersona(over, { goal: "A", knows: {}, turns_max: 9 }, async () => "A");
  expect(played.steps).toEqual([]);
});
