/**
 * Looks passages up for rehearsals in writing, in a knowledge worker of their own: cutting and indexing a large
 * file would hold the main thread, and the index of calls has only what the store has. Agents' files lie in a
 * directory that goes with the owner, which must `close`.
 */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorkerIndex } from "../adapter/knowledge/worker-index.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { WorkerHandle } from "../core/worker-handle.ts";
import type { KnowledgeScope } from "../domain/knowledge/knowledge-index.ts";
import type { RehearsedAgent } from "../domain/rehearsal/agent-file.ts";
import type { TextRehearsalPorts } from "../domain/rehearsal/rehearse-text.ts";

type Files = RehearsedAgent["knowledge"];

export function rehearsalKnowledge(
  spawn: () => WorkerHandle,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Pick<TextRehearsalPorts, "openKnowledge" | "close"> {
  const directory = join(tmpdir(), `linevoice-rehearsal-${randomUUID()}`);
  /** Of agents whose files are being indexed, by the number that stands for their tenant. */
  const indexing = new Map<number, Files>();
  const index = createWorkerIndex({
    spawn,
    directory,
    clock,
    log,
    content: async (agent, file) => indexing.get(agent)?.[file - 1]?.content,
  });
  const scopes = new WeakMap<Files, Promise<KnowledgeScope>>();
  const forgotten = new FinalizationRegistry<number>((agent) => index.retain(agent, []));
  let agents = 0;

  async function indexed(knowledge: Files): Promise<KnowledgeScope> {
    const tenantId = ++agents;
    const files = knowledge.map(({ filename, format }, at) => ({
      id: at + 1,
      filename,
      format,
      version: 1,
    }));
    const scope = { tenantId, files };
    indexing.set(tenantId, knowledge);
    index.prepare(scope);
    await index.idle();
    indexing.delete(tenantId);
    forgotten.register(knowledge, tenantId);
    return scope;
  }

  return {
    async openKnowledge(knowledge) {
      const made = scopes.get(knowledge) ?? indexed(knowledge);
      scopes.set(knowledge, made);
      const scope = await made;
      return (question) => index.search(scope, question);
    },
    close() {
      index.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
