/**
 * Knowledge search for text rehearsals, in a separate worker. Indexing a large file would block the
 * main thread, and the calls' index only has stored files. An agent's index is deleted at the end
 * of its run. `close` deletes the directory.
 */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { WorkerHandle } from "../core/worker-handle.ts";
import type { AskTopics } from "../engine/embedded/scripted/agent-topics.ts";
import { createWorkerIndex } from "../features/knowledge/index/worker-index.ts";
import type { KnowledgeScope } from "../features/knowledge/knowledge-index.ts";
import type { RehearsedAgent } from "../features/rehearsal/agent-file.ts";
import type { TextRehearsalPorts } from "../features/rehearsal/rehearse-text.ts";

type Files = RehearsedAgent["knowledge"];

export function rehearsalKnowledge(
  spawn: () => WorkerHandle,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Pick<TextRehearsalPorts, "openKnowledge" | "close"> & { readonly askTopics: AskTopics } {
  const directory = join(tmpdir(), `linevoice-rehearsal-${randomUUID()}`);
  /** Files of agents during indexing, by the number used as their tenant id. */
  const indexing = new Map<number, Files>();
  const index = createWorkerIndex({
    spawn,
    directory,
    clock,
    log,
    content: async (agent, file) => indexing.get(agent)?.[file - 1]?.content,
  });
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
    return scope;
  }

  return {
    askTopics: index.askTopics,
    openKnowledge() {
      const scopes = new Map<Files, Promise<KnowledgeScope>>();
      return {
        async of(files) {
          const made = scopes.get(files) ?? indexed(files);
          scopes.set(files, made);
          const scope = await made;
          return (question) => index.search(scope, question);
        },
        close() {
          for (const made of scopes.values())
            void made.then(({ tenantId }) => index.retain(tenantId, []));
        },
      };
    },
    close() {
      index.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
