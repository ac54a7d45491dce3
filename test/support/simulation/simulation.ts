/**
 * Simulates the appliance's life from one seed: calls in both directions, schedules, money,
 * webhooks, mail, failures of each, clock steps, kill −9. `invariants` must hold after every step.
 * At the end all failures are repaired, and nothing may be left over.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { e164 } from "../../../src/core/e164.ts";
import { AppError } from "../../../src/core/errors.ts";
import { microEur } from "../../../src/core/money.ts";
import { randomInt, seededRandom } from "../../../src/core/random.ts";
import { calls, events, ledgerEntries, mails, schedules } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../fake-clock.ts";
import { makeFilesInstant } from "./instant-files.ts";
import { leftOver, type Remembered, wrongNow } from "./invariants.ts";
import { type Health, Outside } from "./outside.ts";
import { type SimulatedProcess, startProcess } from "./process.ts";
import { OWN, plan, START, scratch, template } from "./template.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Number of event loop turns without a database access after which a step is complete. */
const QUIET_TURNS = 3;
const TURNS_MAX = 2_000;
const HEALTHS: readonly Health[] = ["well", "well", "failing", "silent"];

export interface Outcome {
  readonly seed: number;
  readonly steps: readonly string[];
  readonly violations: readonly string[];
  /** Number of events by kind, to show the coverage of a soak. */
  readonly counts: Readonly<Record<string, number>>;
  /** Hash of every stored call, event, mail and ledger entry at the end. */
  readonly rows: string;
}

export interface Simulator {
  run(seed: number, steps?: number): Promise<Outcome>;
  close(): void;
}

export async function createSimulator(): Promise<Simulator> {
  const directory = scratch();
  const original = join(directory, "template.db");
  await template(original);
  return {
    async run(seed, steps = 24) {
      const home = join(directory, `seed-${seed}`);
      mkdirSync(join(home, "recordings"), { recursive: true });
      copyFileSync(original, join(home, "linevoice.db"));
      const inTimeAgain = makeFilesInstant();
      try {
        return await new Simulation(seed, home).run(steps);
      } finally {
        inTimeAgain();
        rmSync(home, { recursive: true, force: true });
      }
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

class Simulation {
  readonly #clock = fakeClock(START);
  readonly #random;
  readonly #outside;
  readonly #trouble = { transactions: 0 };
  readonly #remembered: Remembered = { ended: new Map() };
  readonly #steps: string[] = [];
  readonly #counts: Record<string, number> = {};
  #process: SimulatedProcess | null = null;
  #numbers = 0;

  constructor(
    readonly seed: number,
    readonly home: string,
  ) {
    this.#random = seededRandom(seed);
    this.#outside = new Outside(seededRandom(seed + 1));
  }

  get #alive(): SimulatedProcess {
    if (!this.#process) throw new Error("the process is dead");
    return this.#process;
  }

  async run(steps: number): Promise<Outcome> {
    let violations: string[] = [];
    await this.#start();
    try {
      for (let step = 0; step < steps && violations.length === 0; step++) {
        await this.#step();
        await this.#clock.advance(1 + randomInt(this.#random, 50));
        await this.#settle();
        violations = await wrongNow(this.#alive, this.#outside, this.#remembered, this.#recordings);
      }
      if (violations.length === 0) violations = await this.#end();
    } catch (error) {
      violations = [`it threw: ${error instanceof Error ? error.stack : error}`];
    }
    const rows = await this.#hashOfRows();
    await this.#process?.die();
    const counts = { ...this.#counts };
    return { seed: this.seed, steps: this.#steps, violations, counts, rows };
  }

  async #hashOfRows(): Promise<string> {
    const read = this.#process?.read;
    if (!read) return "";
    const hash = createHash("sha256");
    for (const table of [calls, events, mails, schedules, ledgerEntries])
      hash.update(JSON.stringify(await read.select().from(table)));
    return hash.digest("hex");
  }

  readonly #pick = <Item>(items: readonly Item[]): Item | undefined =>
    items[randomInt(this.#random, Math.max(1, items.length))];

  #between(low: number, high: number): number {
    return low + randomInt(this.#random, high - low + 1);
  }

  #number(): string {
    return `+370610${String(10_000 + this.#numbers++)}`;
  }

  get #recordings(): string {
    return join(this.home, "recordings");
  }

  async #start(): Promise<void> {
    this.#process = await startProcess({
      clock: this.#clock,
      random: this.#random,
      outside: this.#outside,
      plan,
      databasePath: join(this.home, "linevoice.db"),
      recordingsDir: this.#recordings,
      trouble: this.#trouble,
    });
    await this.#settle();
  }

  /**
   * Waits until nothing accesses the database. No clock is needed: files take no time here
   * (instant-files.ts), so only promises are pending, regardless of the machine's load.
   */
  async #settle(): Promise<void> {
    let asked = -1;
    let quiet = 0;
    for (let turn = 0; turn < TURNS_MAX && quiet < QUIET_TURNS; turn++) {
      const askedNow = this.#process?.asked ?? 0;
      quiet = askedNow === asked ? quiet + 1 : 0;
      asked = askedNow;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (quiet < QUIET_TURNS) throw new Error(`nothing settles in ${TURNS_MAX} turns`);
  }

  async #pass(ms: number): Promise<void> {
    const slice = Math.max(SECOND, ms / 8);
    for (let left = ms; left > 0; left -= slice) {
      await this.#clock.advance(Math.min(slice, left));
      for (const channel of this.#outside.openChannels) channel.heartbeat();
      await this.#settle();
    }
  }

  #note(what: string, kind: string): void {
    this.#steps.push(what);
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
  }

  async #step(): Promise<void> {
    const roll = this.#random.float();
    const choice = CHOICES.find(([upTo]) => roll < upTo)?.[1] ?? "pass";
    await this.#do(choice);
  }

  async #do(choice: Choice): Promise<void> {
    switch (choice) {
      case "inbound": {
        const number = this.#number();
        this.#note(`${number} calls`, choice);
        void this.#alive.inbound(number, OWN);
        return;
      }
      case "ask":
        return this.#ask();
      case "cancel":
        return this.#cancel();
      case "leg":
        return this.#actOnLeg();
      case "channel":
        return this.#actOnChannel();
      case "hang up":
        return this.#hangUp();
      case "pass": {
        const ms = this.#pick([1, 200, 5 * SECOND, 20 * SECOND, 70 * SECOND]) ?? 1;
        this.#note(`${ms} ms pass`, choice);
        return this.#pass(ms);
      }
      case "clock": {
        const ms = this.#pick([HOUR, -HOUR, 5 * SECOND, -5 * SECOND, -START, START]) ?? 0;
        const bounded = ms === START ? Math.max(0, START - this.#clock.now()) : ms;
        this.#note(`the clock steps by ${bounded} ms`, choice);
        this.#clock.stepWallClock(bounded);
        return;
      }
      case "money": {
        this.#note("1 EUR is paid in", choice);
        await this.#alive.billing.credit(1, microEur(1_000_000), "simulation").catch(troubled);
        return;
      }
      case "health":
        this.#outside.receiver = this.#pick(HEALTHS) ?? "well";
        this.#outside.mail = this.#pick(HEALTHS) ?? "well";
        this.#outside.encoder = this.#pick(HEALTHS.slice(0, 3)) ?? "well";
        this.#note(
          `receiver ${this.#outside.receiver}, mail ${this.#outside.mail}, encoder ${this.#outside.encoder}`,
          choice,
        );
        return;
      case "disk":
        this.#trouble.transactions = this.#between(1, 12);
        this.#note(`${this.#trouble.transactions} transactions will fail`, choice);
        return;
      case "crash":
        return this.#crash();
    }
  }

  async #ask(): Promise<void> {
    const number = this.#number();
    const inMs = this.#pick([null, null, 30 * SECOND, 10 * MINUTE]) ?? null;
    this.#note(`${number} is to be called ${inMs === null ? "now" : `in ${inMs} ms`}`, "ask");
    const scheduleAtMs = inMs === null ? null : this.#clock.now() + inMs;
    const input = { toNumber: e164(number), fromNumber: null, agentId: null, scheduleAtMs };
    await this.#alive.desk.request(1, input).catch(troubled);
  }

  async #cancel(): Promise<void> {
    const pending = await this.#alive.read.select().from(schedules);
    const entry = this.#pick(pending);
    if (!entry) return;
    this.#note(`schedule ${entry.id} is cancelled`, "cancel");
    await this.#alive.desk.cancelSchedule(1, entry.id).catch(troubled);
  }

  async #hangUp(): Promise<void> {
    const row = this.#pick(await this.#alive.read.select().from(calls));
    if (!row) return;
    this.#note(`call ${row.callUuid} is hung up through the API`, "hang up");
    void this.#alive.desk.hangUp(1, row.callUuid).catch(troubled);
  }

  async #actOnLeg(): Promise<void> {
    const leg = this.#pick(this.#outside.legs.filter(({ state }) => state !== "ended"));
    if (!leg) return;
    const act = this.#pick(["ring", "pick up", "pick up", "pick up", "busy", "bye"] as const);
    this.#note(`${leg.number}: ${act}`, `leg: ${act}`);
    if (act === "ring") leg.ring();
    if (act === "pick up") leg.pickUp();
    if (act === "busy" && leg.state !== "active") leg.end("busy", "callee");
    if (act === "bye") leg.end(leg.state === "active" ? "bye" : "cancelled");
  }

  async #actOnChannel(): Promise<void> {
    const channel = this.#pick(this.#outside.openChannels);
    if (!channel) return;
    const act = this.#pick(["turn", "turn", "goodbye", "failed"] as const);
    this.#note(`call ${channel.config.callId}: ${act}`, `channel: ${act}`);
    const turn = {
      index: randomInt(this.#random, 5),
      speaker: "agent" as const,
      text: "Hello.",
      startMs: 0,
      endMs: 900,
      interrupted: false,
      latencyMs: null,
    };
    if (act === "turn") channel.emitter.emit("turn", { turn });
    if (act === "goodbye") channel.emitter.emit("hangup_requested", { reason: "agent_hangup" });
    if (act === "failed") channel.emitter.emit("failed", { reason: "media_lost", detail: "" });
  }

  async #crash(): Promise<void> {
    const downMs = this.#pick([0, 0, 20 * SECOND, 20 * MINUTE, 24 * HOUR]) ?? 0;
    // Sometimes in the middle of a step.
    const inTheMiddle = this.#random.float() < 0.5;
    this.#note(
      `kill −9${inTheMiddle ? " in the middle of it" : ""}, down for ${downMs} ms`,
      "crash",
    );
    if (inTheMiddle) {
      void this.#alive.inbound(this.#number(), OWN);
      for (const leg of this.#outside.legs) if (this.#random.float() < 0.5) leg.pickUp();
      for (let turn = this.#between(0, 12); turn > 0; turn--) await Promise.resolve();
    }
    await this.#alive.die();
    this.#trouble.transactions = 0;
    for (const leg of this.#outside.legs) leg.end("bye");
    this.#clock.stepWallClock(downMs);
    await this.#start();
  }

  /** Repairs all failures and ends all calls. A day later no work may be pending. */
  async #end(): Promise<string[]> {
    this.#steps.push("everything is fixed");
    this.#trouble.transactions = 0;
    Object.assign(this.#outside, { receiver: "well", mail: "well", encoder: "well" });
    // Later than every retry planned before the clock was set back.
    const later = START + 10 * 24 * HOUR;
    if (this.#clock.now() < later) this.#clock.stepWallClock(later - this.#clock.now());
    for (const leg of this.#outside.legs) leg.end(leg.state === "active" ? "bye" : "cancelled");
    await this.#settle();
    for (let look = 0; look < 10; look++) {
      await this.#pass(35 * SECOND);
      for (const leg of this.#outside.legs) leg.end(leg.state === "active" ? "bye" : "busy");
      await this.#settle();
      const left = await leftOver(this.#alive, this.#outside, this.#recordings);
      if (left.length === 0) break;
      this.#clock.stepWallClock(2 * HOUR);
      this.#alive.wake();
      await this.#settle();
    }
    const wrong = await wrongNow(this.#alive, this.#outside, this.#remembered, this.#recordings);
    for (const call of await this.#alive.read.select().from(calls))
      this.#counts[`call: ${call.endedReason}`] =
        (this.#counts[`call: ${call.endedReason}`] ?? 0) + 1;
    return [...wrong, ...(await leftOver(this.#alive, this.#outside, this.#recordings))];
  }
}

type Choice =
  | "inbound"
  | "ask"
  | "cancel"
  | "leg"
  | "channel"
  | "hang up"
  | "pass"
  | "clock"
  | "money"
  | "health"
  | "disk"
  | "crash";

/** Cumulative probability of each choice. */
const CHOICES: readonly (readonly [number, Choice])[] = [
  [0.13, "inbound"],
  [0.26, "ask"],
  [0.28, "cancel"],
  [0.54, "leg"],
  [0.63, "channel"],
  [0.65, "hang up"],
  [0.81, "pass"],
  [0.84, "clock"],
  [0.87, "money"],
  [0.92, "health"],
  [0.95, "disk"],
  [1, "crash"],
];

/** Errors that clients may get are not violations; any other is. */
function troubled(error: unknown): void {
  const { code } = error as { code?: string };
  if (error instanceof AppError || code === "SQLITE_FULL") return;
  throw error;
}
