/** Limits and defaults of an agent's fields (decisions 3). */
import { expect, test } from "bun:test";
import { z } from "zod";
import { agentShape } from "../../../src/features/agent/agent-schema.ts";
import { agentFileOf } from "../../../src/features/rehearsal/agent-file.ts";

const schema = z.strictObject(agentShape(["Sari", "Nathan"]));
const file = agentFileOf([]);
const AGENT = { name: "A", prompt: "B" };

test.each([
  ["name", 1, 120],
  ["prompt", 1, 100_000],
  ["first_message", 0, 5_000],
  ["filler_phrases", 0, 5_000],
] as const)("%s has %d to %d characters", (name, least, most) => {
  const takes = (length: number) =>
    schema.safeParse({ ...AGENT, [name]: "a".repeat(length) }).success;
  expect([takes(least), takes(most), takes(most + 1)]).toEqual([true, true, false]);
  if (least > 0) expect(takes(least - 1)).toBe(false);
});

test("a call takes 30 to 3600 seconds, 600 by default", () => {
  const takes = (seconds: number) =>
    schema.safeParse({ ...AGENT, max_duration_sec: seconds }).success;
  expect([29, 30, 3_600, 3_601].map(takes)).toEqual([false, true, true, false]);
  expect(schema.parse(AGENT)).toMatchObject({
    max_duration_sec: 600,
    voice: "Sari",
    language: "en",
    first_speaker: "assistant",
    voicemail_action: "hangup",
    send_digits_inbound: false,
    transcript_email_enabled: false,
    transcript_email: null,
    webhook_url: null,
  });
});

test("an agent file of a rehearsal has its company, zone and tools", () => {
  const takes = (fields: object) => file.safeParse({ ...AGENT, ...fields }).success;
  const company = (length: number) => takes({ company: "a".repeat(length) });
  expect([0, 1, 200, 201].map(company)).toEqual([false, true, true, false]);
  const tool = (fields: object) => takes({ tools: [{ name: "a", description: "b", ...fields }] });
  const described = (length: number) => tool({ description: "a".repeat(length) });
  expect([0, 1, 1_000, 1_001].map(described)).toEqual([false, true, true, false]);
  expect([0, 1, 2, 3].map((level) => tool({ caller_level: level }))).toEqual([
    ...[true, true, true, false],
  ]);
  expect([takes({ time_zone: "Europe/Vilnius" }), takes({ time_zone: "Nowhere" })]).toEqual([
    ...[true, false],
  ]);
  expect(file.parse(AGENT)).toMatchObject({
    company: "Company",
    time_zone: "UTC",
    number: "+37052000000",
    knowledge: [],
    tools: [],
  });
});
