/**
 * A tenant's agents (specification 2, decisions 3): the plan's limit, required addresses, and the follow-up
 * of deleting an agent. agent-schema.ts checks the fields.
 */

import { type Author, OPERATOR, type VersionNote } from "../../core/author.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { requireUrl, type UrlProblem } from "../../platform/net/tenant-url.ts";
import { type AgentFields, type AgentRecord, type NewAgent, withTexts } from "./agent-schema.ts";

/** Implemented by store/agent/agent-store.ts. */
export interface AgentRecords {
  list(tenantId: number): Promise<AgentRecord[]>;
  find(tenantId: number, id: number): Promise<AgentRecord | undefined>;
  count(tenantId: number): Promise<number>;
  /** Both store a version of the agent if it differs from the published one. */
  insert(
    tenantId: number,
    agent: Omit<AgentRecord, "id" | "version">,
    note: VersionNote,
  ): Promise<AgentRecord>;
  update(
    tenantId: number,
    id: number,
    changes: Partial<AgentFields> & { updatedAt: number },
    note: VersionNote,
  ): Promise<AgentRecord | undefined>;
  /** Also detaches files, numbers and pending schedules. Returns false if the agent does not exist. */
  remove(tenantId: number, id: number): Promise<boolean>;
}

/** The agent limit of the tenant's plan. */
interface AgentPlans {
  planOf(
    queries: Queries,
    tenantId: number,
  ): Promise<{ readonly slug: string; readonly maxAgents: number }>;
}

interface AgentDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => AgentRecords;
  readonly plans: AgentPlans;
  readonly clock: Clock;
  readonly urlProblem: UrlProblem;
}

export function createAgents(dependencies: AgentDependencies) {
  const { database, records, clock, urlProblem } = dependencies;
  return {
    list: (tenantId: number) => records(database.read).list(tenantId),

    /** Throws not_found. */
    async get(tenantId: number, id: number): Promise<AgentRecord> {
      const agent = await records(database.read).find(tenantId, id);
      if (!agent) throw notFound("agent");
      return agent;
    },

    create: creation(dependencies),

    /** Throws not_found, valid_transcript_email_required, valid_webhook_url_required. */
    async update(
      tenantId: number,
      id: number,
      changes: Partial<AgentFields>,
      author: Author = OPERATOR,
    ): Promise<AgentRecord> {
      requireUrl(urlProblem, "webhook_url", changes.webhookUrl);
      return database.tx(async (queries) => {
        const before = await records(queries).find(tenantId, id);
        if (!before) throw notFound("agent");
        if (Object.keys(changes).length === 0) return before;
        requireAddress({ ...before, ...changes });
        const nowMs = clock.now();
        const changed = { ...changes, updatedAt: nowMs };
        const after = await database.finish(
          queries,
          () => records(queries).update(tenantId, id, changed, { author, nowMs }),
          () => records(database.read).find(tenantId, id),
        );
        if (!after) throw notFound("agent");
        return after;
      });
    },

    /** Throws not_found. Live calls continue with their copy of the agent. */
    async remove(tenantId: number, id: number): Promise<void> {
      const removed = await database.tx((queries) => records(queries).remove(tenantId, id));
      if (!removed) throw notFound("agent");
    },
  };
}

/** Throws plan_limit_reached, valid_transcript_email_required, valid_webhook_url_required. */
function creation({ database, records, plans, clock, urlProblem }: AgentDependencies) {
  return async (
    tenantId: number,
    input: NewAgent,
    author: Author = OPERATOR,
  ): Promise<AgentRecord> => {
    const fields = withTexts(input);
    requireAddress(fields);
    requireUrl(urlProblem, "webhook_url", fields.webhookUrl);
    const now = clock.now();
    return database.tx(async (queries) => {
      const [plan, count] = await Promise.all([
        plans.planOf(queries, tenantId),
        records(queries).count(tenantId),
      ]);
      if (count >= plan.maxAgents) throw agentCap(plan.slug, plan.maxAgents);
      const agent = { ...fields, createdAt: now, updatedAt: now };
      return await database.finish(
        queries,
        () => records(queries).insert(tenantId, agent, { author, nowMs: now }),
        async () => newestOf(await records(database.read).list(tenantId), agent),
      );
    });
  };
}

/** Finds the agent that was just stored, among others with the same fields. */
function newestOf(
  agents: readonly AgentRecord[],
  stored: Pick<AgentRecord, "name" | "prompt" | "createdAt">,
): AgentRecord {
  const found = agents.findLast(
    ({ name, prompt, createdAt }) =>
      name === stored.name && prompt === stored.prompt && createdAt === stored.createdAt,
  );
  if (!found) throw notFound("agent");
  return found;
}

function requireAddress(agent: AgentFields): void {
  if (agent.transcriptEmailEnabled && agent.transcriptEmail === null)
    throw invalidField(
      "transcript_email",
      "`transcript_email` must be set before `transcript_email_enabled` can be true.",
    );
}

const agentCap = (slug: string, agentsMax: number) =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `The plan ${slug} allows ${agentsMax} agents. Delete one or change the plan.`,
  });
