/** A complete stored agent, published or draft, for a rehearsal or an export as files. */
import { and, eq } from "drizzle-orm";
import { callSetupStore } from "../../call/store/call-setup-store.ts";
import type { Database } from "../../core/database.ts";
import { conflict, notFound } from "../../core/errors.ts";
import { agents } from "../../store/schema/index.ts";
import type { AgentContent } from "./agent-content.ts";
import { agentHistoryStore } from "./agent-history-store.ts";

interface AgentSource {
  readonly tenantId: number;
  readonly agentId: number;
  readonly version: number | "draft";
  readonly company: string;
  readonly timeZone: string;
  readonly content: AgentContent;
}

const AT_MOST = 2;

export function agentSources({ read }: Pick<Database, "read">) {
  return {
    /** `agent`: id or exact name; `tenantId` null: any tenant. Throws not_found, conflict (name). */
    async source(
      tenantId: number | null,
      agent: number | string,
      isDraft: boolean,
    ): Promise<AgentSource> {
      const isAgent = typeof agent === "number" ? eq(agents.id, agent) : eq(agents.name, agent);
      const ofTenant = tenantId === null ? undefined : eq(agents.tenantId, tenantId);
      const [found, second] = await read
        .select({ id: agents.id, tenantId: agents.tenantId, version: agents.version })
        .from(agents)
        .where(and(isAgent, ofTenant))
        .limit(AT_MOST);
      if (second) throw ambiguous(agent, tenantId);
      const tenant = found && (await callSetupStore(read).tenant(found.tenantId));
      if (!tenant) throw notFound("agent");
      const history = agentHistoryStore(read);
      const stored = isDraft
        ? await history.draft(found.tenantId, found.id)
        : await history.find(found.tenantId, found.id, found.version);
      if (!stored) throw notFound(isDraft ? "draft" : "version");
      return {
        tenantId: found.tenantId,
        agentId: found.id,
        content: stored.content,
        version: isDraft ? "draft" : found.version,
        company: tenant.name,
        timeZone: tenant.timeZone,
      };
    },

    /** Text of a version's file. Throws not_found. */
    async sourceText(tenantId: number, sha256: string): Promise<string> {
      const text = (await agentHistoryStore(read).texts(tenantId, [sha256])).get(sha256);
      if (text === undefined) throw notFound("file");
      return text;
    },
  };
}

const ambiguous = (agent: number | string, tenantId: number | null) =>
  conflict(
    `Several agents are named "${agent}". Give the id${tenantId === null ? ", or --tenant" : ""}.`,
  );
