/**
 * A scenario describes one rehearsed call: the caller and the caller's actions, the line, the tools' answers,
 * and the expectations (`must`, `never`). `read-scenario.ts` reads one from YAML.
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

/** Expected words of the agent: compared as words, as a pattern, or as a value in any wording. */
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
        /** Arguments that the call of `tool` must contain. */
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
    /** Words to say after the agent has finished. */
    say: text.optional(),
    /** Words to say over the agent, `after_ms` after it began to speak. */
    interrupt: text.optional(),
    /** A listener's sound ("mhm"), `after_ms` after the agent began to speak. Wants no answer. */
    mumble: text.optional(),
    after_ms: waitMs.optional(),
    silent_ms: waitMs.optional(),
    press: z
      .string()
      .regex(/^[0-9*#]{1,32}$/, 'must be keys such as "1" or "4172#", in quotes')
      .optional(),
    hold_ms: waitMs.optional(),
    hang_up: z.literal(true).optional(),
    /** Expectations about the agent's answer to this step. */
    must: expectations,
    never: expectations,
  }),
  DEEDS,
);
export type Step = z.output<typeof Step>;

const Persona = z.strictObject({
  /** The caller's goal; the call ends when it is reached. */
  goal: text,
  character: text.optional(),
  /** The caller's information, by name. */
  knows: z.record(z.string(), text).default({}),
  turns_max: z.int().min(1).max(40).default(12),
});
export type Persona = z.output<typeof Persona>;

const ToolAnswer = onlyOne(
  z.strictObject({
    answer: z.json().optional(),
    fails: text.optional(),
    /** Runs the agent's real tool. */
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
    /** The call that the scenario was made from. It is deleted with that call's transcript. */
    from_call: z.uuid().optional(),
    /** File of the agent, in the scenario's folder. Default: `--agent`. */
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
    /** Time of the call, in the agent's time zone or with an offset. Default: now. */
    at: z.iso
      .datetime({ local: true, offset: true, error: "must be a time such as 2026-11-23T10:00:00" })
      .optional(),
    tools: z.record(z.string(), ToolAnswer).default({}),
    /** Result of transfers, by target. Default: success. */
    transfers: z.record(z.string(), z.enum(TRANSFER_OUTCOMES)).default({}),
    /** Values for `{{…}}`, as in a campaign's row. */
    variables: z.record(z.string(), text).default({}),
    /** Whether the other party may opt out of further calls. */
    can_opt_out: z.boolean().default(false),
    script: z.array(Step).min(1).max(STEPS_MAX).optional(),
    persona: Persona.optional(),
    must: expectations,
    never: expectations,
    limits: Limits.prefault({}),
    /** Statements about the transcript that the configured language model must find true. */
    judge: z.array(text).max(LIST_MAX).default([]),
  }),
  ["script", "persona"],
);
export type Scenario = z.output<typeof Scenario>;

function onlyOne<Schema extends z.ZodType<object>>(schema: Schema, names: readonly string[]) {
  return schema.refine(
    (given) => names.filter((name) => Reflect.get(given, name) !== undefined).length === 1,
    { message: `must have exactly one of: ${names.join(", ")}` },
  );
}
