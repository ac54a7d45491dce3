/** Splits of an agent's callers between two versions (A/B test): open, compare, and close with one version. */

import type { Author } from "../../core/author.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { conflict, invalidField, notFound } from "../../core/errors.ts";
import { agentHistoryStore } from "./agent-history-store.ts";
import { agentSplitStore } from "./agent-split-store.ts";
import { agentStore } from "./agent-store.ts";
import type { AgentVersions, Published } from "./agent-versions.ts";
import { compareCalls, type SplitMeasure } from "./split-comparison.ts";

/** Maximum compared calls of a split, newest first. */
export const SPLIT_CALLS_MAX = 5_000;

interface SplitDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly versions: Pick<AgentVersions, "publishIn" | "storeDraft">;
}

export interface ComparedSplit {
  readonly published: number;
  readonly tried: number;
  readonly percent: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly calls: { readonly published: number; readonly tried: number };
  readonly measures: readonly SplitMeasure[];
}

export type AgentSplits = ReturnType<typeof createAgentSplits>;

export function createAgentSplits(deps: SplitDependencies) {
  const { database, clock, versions } = deps;
  return {
    /** Returns the newest split, open or closed; null: none. Throws not_found. */
    get: (tenantId: number, agentId: number) => compared(database.read, tenantId, agentId),

    /**
     * Throws not_found, valid_version_required; conflict if a split is open, or if a required rehearsal is
     * missing.
     */
    async open(
      tenantId: number,
      agentId: number,
      { version, percent }: { readonly version: number | "draft"; readonly percent: number },
      author: Author,
    ): Promise<ComparedSplit | null> {
      await database.tx(async (queries) => {
        const agent = await agentStore(queries).find(tenantId, agentId);
        if (!agent) throw notFound("agent");
        const splits = agentSplitStore(queries);
        const newest = await splits.newest(tenantId, agentId);
        if (newest?.endedAt === null) throw alreadyOpen(newest.versionB);
        const nowMs = clock.now();
        const tried =
          version === "draft"
            ? await versions.storeDraft(queries, [tenantId, agentId], author)
            : (await agentHistoryStore(queries).find(tenantId, agentId, version))?.number;
        if (tried === undefined) throw notFound("version");
        if (tried === agent.version)
          throw invalidField("version", "`version` must differ from the published version.");
        await splits.open({
          tenantId,
          agentId,
          versionA: agent.version,
          versionB: tried,
          percentB: percent,
          startedAt: nowMs,
        });
      });
      return await compared(database.read, tenantId, agentId);
    },

    close: closing(deps),
  };
}

/** `keep`: one of its two versions. Throws not_found, valid_keep_required, plan_limit_reached. */
function closing({ database, clock, versions }: SplitDependencies) {
  return (tenantId: number, agentId: number, keep: number, author: Author): Promise<Published> =>
    database.tx(async (queries) => {
      const agent = await agentStore(queries).find(tenantId, agentId);
      if (!agent) throw notFound("agent");
      const splits = agentSplitStore(queries);
      const open = await splits.newest(tenantId, agentId);
      if (!open || open.endedAt !== null) throw notFound("split");
      if (keep !== open.versionA && keep !== open.versionB)
        throw invalidField(
          "keep",
          `\`keep\` must be one of the two versions: ${open.versionA} or ${open.versionB}.`,
        );
      await splits.close(tenantId, agentId, clock.now());
      return keep === open.versionA
        ? { agent, notes: [] }
        : await versions.publishIn(queries, [tenantId, agentId], keep, author);
    });
}

async function compared(
  read: Queries,
  tenantId: number,
  agentId: number,
): Promise<ComparedSplit | null> {
  const splits = agentSplitStore(read);
  const split = await splits.newest(tenantId, agentId);
  if (!split) {
    if (!(await agentStore(read).find(tenantId, agentId))) throw notFound("agent");
    return null;
  }
  const { versionA: published, versionB: tried, percentB: percent, startedAt, endedAt } = split;
  const calls = await splits.calls(split, SPLIT_CALLS_MAX);
  const count = (number: number) => calls.filter(({ version }) => version === number).length;
  return {
    published,
    tried,
    percent,
    startedAt,
    endedAt,
    calls: { published: count(published), tried: count(tried) },
    measures: compareCalls(calls, { published, tried }),
  };
}

const alreadyOpen = (version: number) =>
  conflict(`Callers are already split with version ${version}. Close that split first.`);
