/** An agent whose insertion succeeded without the store's reply is found among others. */
import { expect, test } from "bun:test";
import { createAgents } from "../../../src/features/agent/agents.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { agentOf } from "../../support/store/stored-rows.ts";

const clock = fakeClock();
const draft = agentOf("Reception", "You answer the phone.", "Hello.");

test.each([
  ["name", { name: "Sales" }],
  ["prompt", { prompt: "You sell." }],
  ["time", { createdAt: clock.now() + 1 }],
])("another agent of the same time is distinguished by its %s", async (_, other) => {
  const stored = { ...draft, id: 1, createdAt: clock.now() };
  const agents = createAgents({
    clock,
    urlProblem: () => null,
    plans: { planOf: async () => ({ slug: "start", maxAgents: 10 }) },
    records: () => ({
      count: async () => 0,
      list: async () => [stored, { ...stored, id: 2, ...other }],
    }),
    database: {
      read: null,
      tx: (work: (queries: null) => Promise<unknown>) => work(null),
      finish: (_: null, __: unknown, found: () => Promise<unknown>) => found(),
    },
  } as unknown as Parameters<typeof createAgents>[0]);
  expect((await agents.create(1, draft)).id).toBe(1);
});
