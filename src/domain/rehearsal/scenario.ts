/**
 * A scenario: one rehearsed call as its file describes it. Who calls and what they do, the line, the tools'
 * answers, and what must and must never be. `read-scenario.ts` reads one from YAML.
 */
import { z } from "zod";
import { ENDED_REASONS } from "../../core/ended-reason.ts";
import { AGENT_LANGUAGES } from "../agent/agent.ts";
import { isPattern } from "./pattern.ts";

const TEXT_MAX = 2_000;
const STEPS_MAX = 100;
const LIST_MAX = 50;
const WAIT_MS_MAX = 120_000;

const text = z.string().trim().min(1).max(TEXT_MAX);
const waitMs = z.int().min(0).max(WAIT_MS_MAX);
const number = z
  .string()
  .regex(/^(?:\+[1-9]\d{6,14}|anonymous)$/, 'must be a number such as "+37061234567", in quotes');

/** What the agent said, compared as words, as a pattern, or as a value however it is worded. */
const Fact = z.preprocess(
  (given) => (typeof given === "string" ? { words: given } : given),
  onlyOne(
    z.strictObject({
      words: text.optional(),
      regex: text
        .refine(isPattern, "must be a regular expression that does not look around or back")
        .optional(),
      number: z.number().optional(),
      money: z
        .string()
        .regex(/^\d+(?:[.,]\d{1,2})? [A-Z]{3}$/, 'must be an amount such as "40 EUR"')
        .optional(),
      date: z.iso.date("must be a date such as 2026-11-24").optional(),
    }),
    ["words", "regex", "number", "money", "date"],
  ),
);
export type Fact = z.output<typeof Fact>;

const CLAIMS = ["says", "tool", "transferred_to", "message", "language", "ended"] as const;

const Expectation = z.preprocess(
  (given) => (typeof given === "string" ? { says: given } : given),
  onlyOne(
    z
      .strictObject({
        says: Fact.optional(),
        tool: text.optional(),
        /** Of `tool`: the arguments contain this. */
        with: z.record(z.string(), z.json()).optional(),
        transferred_to: text.optional(),
        message: Fact.optional(),
        language: z.enum(AGENT_LANGUAGES).optional(),
        ended: z.enum(ENDED_REASONS).optional(),
      })
      .refine((each) => each.with === undefined || each.tool !== undefined, {
        path: ["with"],
        message: "belongs to `tool`",
      }),
    CLAIMS,
  ),
);
export type Expectation = z.output<typeof Expectation>;

const expectations = z.array(Expectation).max(LIST_MAX).default([]);

const DEEDS = ["say", "interrupt", "mumble", "silent_ms", "press", "hold_ms", "hang_up"] as const;

const Step = onlyOne(
  z.strictObject({
    /** Speaks when the agent has finished. */
    say: text.optional(),
    /** Speaks over the agent, `after_ms` after it began. */
    interrupt: text.optional(),
    /** As a listener does ("mhm"), `after_ms` after the agent began; wants no answer. */
    mumble: text.optional(),
    after_ms: waitMs.optional(),
    silent_ms: waitMs.optional(),
    press: z
      .string()
      .regex(/^[0-9*#]{1,32}$/, 'must be keys such as "1" or "4172#", in quotes')
      .optional(),
    hold_ms: waitMs.optional(),
    hang_up: z.literal(true).optional(),
    /** About the agent's answer to this step. */
    must: expectations,
    never: expectations,
  }),
  DEEDS,
);
export type Step = z.output<typeof Step>;

const Persona = z.strictObject({
  /** What the caller wants; the call is over when it is reached. */
  goal: text,
  character: text.optional(),
  /** What the caller knows, by name. */
  knows: z.record(z.string(), text).default({}),
  turns_max: z.int().min(1).max(40).default(12),
});
export type Persona = z.output<typeof Persona>;

const ToolAnswer = onlyOne(
  z.strictObject({
    answer: z.json().optional(),
    fails: text.optional(),
    /** The agent's tool is asked for real. */
    live: z.literal(true).optional(),
    delay_ms: waitMs.default(0),
  }),
  ["answer", "fails", "live"],
);

const TRANSFER_OUTCOMES = ["transferred", "busy", "no_answer", "declined", "failed"] as const;

const Line = z.strictObject({
  codec: z.enum(["PCMA", "PCMU"]).default("PCMA"),
  /** Noise on the caller's side, dB below speech. */
  noise_db: z.number().min(0).max(60).optional(),
  loss_percent: z.number().min(0).max(30).default(0),
  jitter_ms: z.int().min(0).max(200).default(0),
});

const Limits = z.strictObject({
  turns: z.int().min(1).max(200).optional(),
  latency_p95_ms: z.int().min(1).optional(),
  dead_air_ms: z.int().min(1).optional(),
  silent_after_interruption_ms: z.int().min(1).optional(),
  never_interrupts: z.literal(true).optional(),
});

export const Scenario = onlyOne(
  z.strictObject({
    name: z.string().trim().min(1).max(200),
    description: text.optional(),
    /** A file with the agent, beside the scenario. Missing: `--agent`. */
    agent: text.optional(),
    direction: z.enum(["inbound", "outbound"]).default("inbound"),
    caller: z
      .strictObject({
        number: number.default("+37060000001"),
        language: z.enum(AGENT_LANGUAGES).optional(),
        voice: z
          .string()
          .regex(/^[a-z]\w{0,15}$/i)
          .default("m3"),
      })
      .prefault({}),
    line: Line.prefault({}),
    /** In the agent's time zone, or with an offset. Missing: now. */
    at: z.iso
      .datetime({ local: true, offset: true, error: "must be a time such as 2026-11-23T10:00:00" })
      .optional(),
    tools: z.record(z.string(), ToolAnswer).default({}),
    /** How attempts to transfer end, by target. Missing: well. */
    transfers: z.record(z.string(), z.enum(TRANSFER_OUTCOMES)).default({}),
    /** Values for `{{…}}`, as of a campaign's line. */
    variables: z.record(z.string(), text).default({}),
    /** The other side may refuse further calls. */
    can_opt_out: z.boolean().default(false),
    script: z.array(Step).min(1).max(STEPS_MAX).optional(),
    persona: Persona.optional(),
    must: expectations,
    never: expectations,
    limits: Limits.prefault({}),
    /** Sentences that the configured language model must find true of the transcript. */
    judge: z.array(text).max(LIST_MAX).default([]),
  }),
  ["script", "persona"],
);
export type Scenario = z.output<typeof Scenario>;

/** Exactly one of these fields is given. */
function onlyOne<Schema extends z.ZodType<object>>(schema: Schema, names: readonly string[]) {
  return schema.refine(
    (given) => names.filter((name) => Reflect.get(given, name) !== undefined).length === 1,
    { message: `must have exactly one of: ${names.join(", ")}` },
  );
}
