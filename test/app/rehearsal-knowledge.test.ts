/** Knowledge of agents in rehearsals, with a real knowledge worker: it is stored for a run. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { rehearsalKnowledge } from "../../src/app/rehearsal-knowledge.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import type { ToKnowledgeWorker } from "../../src/features/knowledge/index/messages.ts";
import { spawnKnowledgeWorker } from "../../src/workers.ts";
import { eventually } from "../support/eventually.ts";

test("a run's index is deleted at its end, and another run's stays", async () => {
  let directory = "";
  const knowledge = rehearsalKnowledge(
    () => {
      const worker = spawnKnowledgeWorker();
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: ToKnowledgeWorker) => {
        if (message.type === "init") [directory] = message.args;
        post(message);
      };
      return worker;
    },
    { clock: systemClock, log: silentLog },
  );
  const indexes = () => readdirSync(directory).filter((name) => name.endsWith(".sqlite"));
  const prices = (euros: string) => [
    {
      filename: "prices.md",
      format: "md" as const,
      content: `# Prices\n\nCleaning: ${euros} euros.`,
    },
  ];
  try {
    const [first, second] = [knowledge.openKnowledge(), knowledge.openKnowledge()];
    const files = prices("forty");
    await first.of(files);
    const search = await first.of(files);
    expect((await search("cleaning"))[0]?.text).toContain("forty");
    const others = await second.of(prices("sixty"));
    expect(indexes()).toHaveLength(2);

    first.close();
    await eventually(() => indexes().length === 1, "the first index goes");
    expect((await others("cleaning"))[0]?.text).toContain("sixty");
    second.close();
    await eventually(() => indexes().length === 0, "the last index goes");
  } finally {
    knowledge.close();
  }
  expect(existsSync(directory)).toBe(false);
});
