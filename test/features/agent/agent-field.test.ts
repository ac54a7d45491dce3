/**
 * Every field of an agent must be in all places that handle agents: form, labels, trial, comparison, phone
 * rehearsal, versions.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { camelName } from "../../../src/core/wire-names.ts";
import { emptyDraft, trialOf } from "../../../src/dashboard/web/pages/agents/agent-draft.ts";
import { PARTS } from "../../../src/dashboard/web/pages/agents/agent-parts.ts";
import { agentBody } from "../../../src/demo/rehearsal/phone-rehearsal.ts";
import { AGENT_VOICES, NOT_IN_TRIAL, NOT_REHEARSED } from "../../../src/features/agent/agent.ts";
import { contentOf } from "../../../src/features/agent/agent-content.ts";
import { agentShape, trialShape } from "../../../src/features/agent/agent-schema.ts";
import { changedParts } from "../../../src/features/agent/version-comparison.ts";

const NAMES = Object.keys(agentShape(AGENT_VOICES));
const PAGES = join(import.meta.dir, "../../../src/dashboard/web/pages/agents");
const FORM = readFileSync(join(PAGES, "agent-form.tsx"), "utf8");
const oldest = contentOf({ name: "A", prompt: "B" });

describe.each(NAMES)("the agent's field %s", (name) => {
  test("has a label and a place in the form", () => {
    expect(Object.keys(PARTS)).toContain(name);
    expect(FORM).toContain(`{...form.bind("${name}")}`);
    expect(FORM).toContain(`label={t("${PARTS[name as keyof typeof PARTS]}")}`);
  });

  test("is used by a trial, in the form and by the server, or is an exception with a reason", () => {
    const isExcepted = name in NOT_IN_TRIAL;
    expect(name in trialShape()).toBe(!isExcepted);
    expect(name in trialOf(emptyDraft("en"))).toBe(!isExcepted);
  });

  test("is set in a phone rehearsal, or is an exception with a reason", () => {
    const { webhookUrl, transcriptEmail, transcriptEmailEnabled, files, tools, ...agent } = oldest;
    const body = agentBody({ ...agent, id: 1, voice: "Sari", fillerPhrases: ["One.", "Two."] });
    expect(body[name] !== undefined).toBe(!(name in NOT_REHEARSED));
  });

  test("is filled in older versions, and a comparison shows its change", () => {
    const key = camelName(name) as keyof typeof oldest;
    expect(oldest[key]).not.toBeUndefined();
    expect(changedParts(oldest, { ...oldest, [key]: "another" })).toEqual([key]);
  });
});

test("the exceptions are fields of an agent", () => {
  for (const name of [...Object.keys(NOT_IN_TRIAL), ...Object.keys(NOT_REHEARSED)])
    expect(NAMES).toContain(name);
});

test("a stored content keeps its values, and its tools get the defaults of newer fields", () => {
  const stored = { ...oldest, language: "lt" as const, sendDigitsInbound: true };
  expect(contentOf(stored)).toEqual(stored);
  const tool = { name: "a", description: "b", url: "https://example.com", secretHeader: "X-A" };
  const { tools } = contentOf({ ...stored, tools: [{ ...tool, parameters: {} } as never] });
  expect(tools).toMatchObject([{ ...tool, callerLevel: 0, shared: false }]);
});
