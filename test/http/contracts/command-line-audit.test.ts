/** Every change by the command line is in the audit log of its company, with who did what to which record. */
import { expect, test } from "bun:test";
import { hasSentence } from "../../../src/dashboard/web/pages/team/audit/audit-sentence.ts";
import type { Services } from "../../../src/features/appliance/services.ts";
import { isAudited } from "../../../src/http/contracts/command-line-audit.ts";
import { operations } from "../../../src/http/contracts/operations.ts";
import { runOperation } from "../../../src/http/contracts/run-operation.ts";

type Name = keyof typeof operations;
interface Case {
  readonly input: object;
  /** The service's answer. */
  readonly output?: unknown;
  readonly tenant?: number | null;
  readonly subject?: string;
  readonly changes?: readonly [field: string, to: string | null][];
}

const of = { tenant: 7, agent: 3 };
const FIELDS = {
  name: "Reception",
  prompt: "x",
  voice: "Sari",
  first_message: "",
  filler_phrases: "",
};
const tool = {
  name: "find_booking",
  description: "x",
  url: "https://example.com/x",
  secret_header: "X-Secret",
  secret: "hidden-secret",
  parameters: {},
};
const trunk = { server: "sip.example", port: 5060, transport: "udp", username: "u" };
const rest = { realm: null, outbound_proxy: null, channels: null, caller_id: "+37060000001" };

const CHANGES: Partial<Record<Name, Case>> = {
  "tenant.create": {
    input: { name: "Clinic", email: "a@b.example" },
    output: { id: 7 },
    subject: "Clinic",
  },
  "tenant.plan": { input: { tenant: 7, plan: "start" }, changes: [["plan", "start"]] },
  "tenant.suspend": { input: { tenant: 7 } },
  "tenant.resume": { input: { tenant: 7 } },
  "tenant.dialing": {
    input: { tenant: 7, allowed_prefixes: ["+371"], short_numbers: null },
    changes: [
      ["allowed_prefixes", '["+371"]'],
      ["short_numbers", null],
    ],
  },
  credit: {
    input: { tenant: 7, eur: 5, note: "Gift" },
    changes: [
      ["eur", "5"],
      ["note", "Gift"],
    ],
  },
  "setup.link": { input: {}, tenant: null },
  "user.create": {
    input: { tenant: 7, email: "a@b.example" },
    subject: "a@b.example",
    changes: [
      ["role", "owner"],
      ["operator", "false"],
    ],
  },
  "user.reset_password": {
    input: { email: "a@b.example" },
    tenant: 9,
    subject: "a@b.example",
    changes: [["remove_second_factor", "false"]],
  },
  "key.create": { input: { tenant: 7, label: "shop" }, subject: "shop" },
  "trunk.set": {
    input: { tenant: 7, ...trunk, ...rest, password: "hidden-secret", register: true },
    subject: "sip.example",
    changes: [
      ["server", "sip.example"],
      ["port", "5060"],
      ["transport", "udp"],
      ["username", "u"],
      ["caller_id", "+37060000001"],
      ["register", "true"],
    ],
  },
  "number.confirm": { input: { tenant: 7, number: "+37060000001" }, subject: "+37060000001" },
  "tool.create": {
    input: { tenant: 7, ...tool },
    subject: "find_booking",
    changes: [["url", "https://example.com/x"]],
  },
  "tool.delete": { input: { tenant: 7, id: 4 }, subject: "#4" },
  "agent.push": {
    input: {
      ...of,
      version: 1,
      dry: false,
      force: false,
      draft: false,
      fields: FIELDS,
      files: [],
      tools: [],
    },
    subject: "Reception",
  },
  "agent.rollback": { input: { ...of, to: 2 }, subject: "Agent 3", changes: [["to", "2"]] },
  "agent.rule": {
    input: { ...of, rehearsed: "on" },
    subject: "Agent 3",
    changes: [["rehearsed", "on"]],
  },
  "agent.discard": { input: of, subject: "Agent 3" },
  "agent.publish": { input: of, subject: "Agent 3" },
  "agent.split.open": {
    input: { ...of, version: "2" },
    subject: "Agent 3",
    changes: [
      ["version", "2"],
      ["percent", "20"],
    ],
  },
  "agent.split.close": { input: { ...of, keep: 1 }, subject: "Agent 3", changes: [["keep", "1"]] },
  "contact.import": {
    input: { tenant: 7, csv: "number\n", country: null, dry_run: false, skip_bad: false },
  },
  "contact.export": { input: { tenant: 7, after: 0 } },
  "campaign.act": {
    input: { tenant: 7, campaign: 1, action: "start" },
    output: { name: "Spring" },
    subject: "Spring",
    changes: [["action", "start"]],
  },
  "checkout.confirm": {
    input: { id: "chk_1" },
    output: { tenant_id: 8 },
    tenant: 8,
    subject: "chk_1",
  },
  "call.place": { input: { agent: 3, to: "+37060000001" }, output: { tenant_id: 8 }, tenant: 8 },
  "engine.try": { input: {}, tenant: null },
  "clock.confirm": { input: {}, tenant: null },
  "person.erase": { input: { tenant: 7, number: "+37060000001", dry_run: false } },
  "key.rotate_master": {
    input: { next: Buffer.alloc(32, 1).toString("base64") },
    tenant: null,
  },
  "node.drain": { input: { node: "n" }, output: { name: "n" }, tenant: null, subject: "n" },
  "node.resume": { input: { node: "n" }, output: { name: "n" }, tenant: null, subject: "n" },
};

/** Executes `name` with a service that answers `output`; returns the new entries of the audit log. */
async function entriesOf(name: Name, { input, output = {} }: Case, user: string | null = "anna") {
  const entries: Record<string, unknown>[] = [];
  const services = {
    identity: {
      audit: {
        write: async (entry: Record<string, unknown>) => void entries.push(entry),
        actorOf: async () => ({ tenantId: 9 }),
      },
    },
    agents: { get: async (_: number, id: number) => ({ name: `Agent ${id}` }) },
  } as unknown as Services;
  const definition = operations[name] as { run: unknown };
  const { run } = definition;
  definition.run = async () => output;
  try {
    await runOperation(services, name, input, { isOperator: true, commandLineUser: user });
  } finally {
    definition.run = run;
  }
  return entries;
}

const names = Object.keys(operations) as Name[];

test("every operation that changes data is tested here, and no other", () => {
  expect(names.filter(isAudited).sort()).toEqual(Object.keys(CHANGES).sort() as Name[]);
  // Operations that only read.
  expect(names.filter((name) => !isAudited(name))).toEqual([
    ...(["tenant.list", "user.list", "trunk.list", "trunk.test", "tool.list"] as const),
    ...(["agent.versions", "agent.source", "agent.text", "agent.diff", "agent.split"] as const),
    ...(["contact.list", "campaign.list", "checkout.list", "statement.summary"] as const),
    ...(["statement.rows", "statement.lines", "statement.calls", "call.scenario"] as const),
    ...(["backup.create", "logs.read", "node.list"] as const),
  ]);
});

test.each(Object.entries(CHANGES) as [Name, Case][])(
  "%s creates one entry, with the system's user, in the company's log",
  async (name, asked) => {
    const [entry, ...others] = await entriesOf(name, asked);
    expect(others).toEqual([]);
    const { tenant = 7, subject, changes } = asked;
    expect(entry).toMatchObject({
      tenantId: tenant,
      userId: null,
      outcome: "done",
      details: { commandLine: true, user: "anna" },
    });
    const details = entry?.details as { subject?: string; changes?: object[] };
    expect(details.subject).toBe(subject as string);
    expect(details.changes ?? []).toEqual(
      (changes ?? []).map(([field, to]) => ({ field, from: null, to })),
    );
    expect(hasSentence(String(entry?.action))).toBe(true);
    expect(JSON.stringify(entry)).not.toContain("hidden-secret");
  },
);

test("a trial run changes nothing and creates no entry", async () => {
  for (const [name, more] of [
    ["contact.import", { dry_run: true }],
    ["person.erase", { dry_run: true }],
    ["agent.push", { dry: true }],
    ["contact.export", { after: 25 }],
  ] as const) {
    const { input = {} } = CHANGES[name] ?? {};
    expect(await entriesOf(name, { input: { ...input, ...more } })).toEqual([]);
  }
  expect(await entriesOf("tenant.dialing", { input: { tenant: 7 } })).toEqual([]);
});

test("dashboard requests are logged by the dashboard, not here", async () => {
  expect(await entriesOf("tenant.suspend", { input: { tenant: 7 } }, null)).toEqual([]);
});

test("a long value is shortened", async () => {
  const note = "x".repeat(200);
  const [entry] = await entriesOf("credit", { input: { tenant: 7, eur: 5, note } });
  expect(JSON.stringify(entry).length).toBeLessThan(500);
});
