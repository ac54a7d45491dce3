/**
 * Operations of the appliance itself: `linevoice engine try`, `clock confirm`, `backup create`, `logs`,
 * `erase` and `key rotate-master`.
 */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { id, nothing, operation } from "../../http/contracts/operation.ts";
import {
  callersNumberIn,
  choice,
  eurOut,
  field,
  integer,
  shown,
} from "../../http/contracts/schema.ts";
import { isMasterKey } from "../../platform/config/formats.ts";
import type { ErasureReport } from "../privacy/erase-person.ts";

export const Backup = z.strictObject({
  file: shown(z.string(), "Name in the backups directory.", "linevoice-20261121T033000000Z.db"),
  size_bytes: shown(z.int(), "Size.", 1_048_576),
  created_at: shown(
    z.iso.datetime({ offset: true }),
    "Time of creation, ISO 8601 in UTC.",
    "2026-11-21T04:05:06+00:00",
  ),
});

const LEVELS = ["info", "warn", "error"] as const;

const LogLine = z.strictObject({
  at: z.iso.datetime({ offset: true }),
  layer: z.enum(["log", "call", "sip", "media", "turn", "tool", "webhook", "billing"]),
  level: z.enum(LEVELS),
  text: z.string(),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
/** A log line or a stored event of a call, in chronological order. Contains no personal data. */
export type LogLine = z.output<typeof LogLine>;

/** Maximum base64 length that the control socket and a request body can carry: about 20 s at 16 kHz. */
const WAV_CHARACTERS_MAX = 960_000;
const trialText = (description: string, example: string) =>
  field(z.string().trim().min(1).max(1000), {
    description,
    example,
    must: "have 1 to 1000 characters",
    reason: "length",
    params: { from: 1, to: 1000 },
  })
    .nullable()
    .default(null);

export const EnginePartTrial = z.strictObject({
  part: shown(
    z.enum(["stt", "llm", "tts"]),
    "Speech to text, language model or text to speech.",
    "tts",
  ),
  provider: shown(z.string(), "Provider of the part.", "openai"),
  first_ms: shown(
    z.int().nullable(),
    "Time until the first word or sound, ms. `null` if there was none.",
    420,
  ),
  total_ms: shown(z.int(), "Time until the end, ms.", 900),
  result: shown(z.string(), "Recognised text, answer, or length of the speech.", "1.9 s of speech"),
  cost_eur: eurOut("Cost by the prices in the configuration."),
  error: shown(z.string().nullable(), "Error of the provider. `null` if it did not fail.", null),
  remedy: shown(z.string().nullable(), "How to fix it. `null` if there is nothing to fix.", null),
});
export type EnginePartTrial = z.output<typeof EnginePartTrial>;

export const applianceOperations = {
  /** If the input is empty, each part is tried with a built-in sentence. */
  "engine.try": operation({
    input: z.strictObject({
      stt_wav: field(z.base64().min(4).max(WAV_CHARACTERS_MAX), {
        description: "WAV file with 16-bit speech for speech to text, in base64.",
        example: "UklGRg==",
        must: "be a WAV file of at most 720,000 bytes, in base64",
      })
        .nullable()
        .default(null),
      say: trialText("Sentence for text to speech.", "Good afternoon."),
      ask: trialText("Question for the language model.", "When are you open?"),
    }),
    output: z.strictObject({ parts: z.array(EnginePartTrial) }),
    role: "operator",
    run: async ({ tryEngine }, { stt_wav: wav, say, ask }) => {
      const bytes = wav === null ? null : Buffer.from(wav, "base64");
      const trials = await tryEngine({ wav: bytes, say, ask });
      return {
        parts: trials.map(({ firstMs, totalMs, costEur, ...trial }) => ({
          ...trial,
          first_ms: firstMs,
          total_ms: totalMs,
          cost_eur: costEur,
        })),
      };
    },
  }),
  /** Resumes the paused work after a clock jump. */
  "clock.confirm": operation({
    input: nothing,
    output: z.strictObject({ now: z.iso.datetime({ offset: true }) }),
    role: "operator",
    needsServer: true,
    run: async ({ confirmClock }) => ({ now: isoUtc(confirmClock()) }),
  }),
  /** Works while the database is in use. `to` null: writes into the backups directory. */
  "backup.create": operation({
    input: z.strictObject({
      to: z.string().max(4096).refine(isAbsolute, { error: "an absolute path" }).nullable(),
    }),
    output: Backup,
    role: "operator",
    run: ({ backups }, { to }) => backups.create(to),
  }),
  "logs.read": operation({
    input: z.strictObject({
      call: field(
        z
          .string()
          .toLowerCase()
          .regex(/^[0-9a-f-]{36}$/),
        {
          description: "Return only records of this call. `null`: all records.",
          example: "019aa1b2-0000-7000-8000-000000000001",
          must: "be a call's UUID, as `GET /calls` shows it",
        },
      )
        .nullable()
        .default(null),
      level: choice(LEVELS, "Filter: this level and higher levels.", "warn").default("info"),
      limit: integer(1, 2000, "Maximum number of records to return.", 200).default(200),
    }),
    output: z.array(LogLine),
    role: "operator",
    run: async ({ readLogs }, question) =>
      (await readLogs(question)).map(({ atMs, fields, ...line }) => ({
        at: isoUtc(atMs),
        ...line,
        fields: { ...fields },
      })),
  }),
  "person.erase": operation({
    input: z.strictObject({
      tenant: id,
      number: callersNumberIn("Whose data goes."),
      dry_run: z.boolean(),
    }),
    output: z.custom<ErasureReport>((value) => typeof value === "object" && value !== null),
    role: "operator",
    run: async ({ tenants, erasePerson }, { tenant, number, dry_run }) => {
      await tenants.require(tenant);
      return await erasePerson(tenant, number, dry_run);
    },
  }),
  "key.rotate_master": operation({
    input: z.strictObject({
      next: z.string().refine(isMasterKey, { error: "32 bytes in base64" }),
      purposes: z.boolean().default(false),
    }),
    output: z.strictObject({ sealed: z.int(), people_without_recovery_codes: z.int() }),
    role: "operator",
    run: async ({ rotateMasterKey }, { next, purposes }) => {
      const rotated = await rotateMasterKey(Buffer.from(next, "base64"), purposes);
      return {
        sealed: rotated.sealed,
        people_without_recovery_codes: rotated.endedCodesOf,
      };
    },
  }),
} as const;
