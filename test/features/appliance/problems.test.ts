/** Problems on Home, and the page that fixes each. */
import { expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import { problemsOf } from "../../../src/features/appliance/problems-contract.ts";

type Troubles = Parameters<typeof problemsOf>[0];

const indicator = (state: "ok" | "failed") => ({
  state,
  code: "disk_ok" as const,
  values: {},
  sentence: "",
  remedy: state === "ok" ? null : "Do it.",
});
const fine = indicator("ok");
const well: Troubles = {
  statuses: { trunk: fine, engine: fine, disk: fine, backup: fine, mail: fine },
  webhooks: [],
  numbers: [],
  money: {
    availableBalance: microEur(50_000_000),
    availableIncludedSeconds: 36_000,
    plan: { overagePerMinute: microEur(100_000) },
  } as Troubles["money"],
  badLines: [],
  turnedAway: { byPlan: 0, others: 0, explanation: "" },
  checks: [],
  isOperator: true,
};
const pages = (changes: Partial<Troubles>): unknown[] =>
  problemsOf({ ...well, ...changes }).map(({ code, href }) => [code, href]);

test("nothing is listed if all is well", () => {
  expect(pages({})).toEqual([]);
});

test.each([
  ["backup", "/app/operator?tab=backups"],
  ["mail", "/app/operator?tab=mail"],
  ["engine", "/app/operator?tab=health"],
  ["disk", "/app/operator?tab=health"],
  ["trunk", "/app/trunk"],
])("a problem with %s leads to %s, other people only to the trunk's page", (part, href) => {
  const statuses = { ...well.statuses, [part]: indicator("failed") };
  expect(pages({ statuses })).toEqual([["disk_ok", href]]);
  const isTrunk = part === "trunk";
  expect(pages({ statuses, isOperator: false })).toEqual([["disk_ok", isTrunk ? href : null]]);
});

test("callers who were turned away are listed by reason", () => {
  const turnedAway = { byPlan: 10, others: 1, explanation: "The account is suspended." };
  const listed = problemsOf({ ...well, turnedAway });
  expect(listed.map(({ code, values }) => `${code} ${values.calls}`)).toEqual([
    "callers_plan 10",
    "callers_turned_away 1",
  ]);
  expect(listed[1]?.sentence).toContain("The account is suspended.");
});

test("a failed health check is listed for the operator, unless a status shows the same", () => {
  const checks = [
    { name: "RTP ports", result: "warning" },
    { name: "mail", result: "failed" },
    { name: "clock", result: "ok" },
    { name: "tools", result: "skipped" },
  ];
  const statuses = { ...well.statuses, mail: indicator("failed") };
  const [, health] = problemsOf({ ...well, statuses, checks });
  expect(health?.values.checks).toBe("RTP ports");
  expect(health?.href).toBe("/app/operator?tab=health");
  expect(pages({ checks, isOperator: false })).toEqual([]);
});
