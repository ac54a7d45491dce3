/** The endpoint of a tool. */
import { and, eq, sql } from "drizzle-orm";
import { isSameServer } from "../../platform/net/tenant-url.ts";
import { tools } from "../../store/schema/agents.ts";
import type { VersionTool } from "../agent/agent-content.ts";
import type { ToolTarget, ToolTargets } from "./stores.ts";

const TARGET = {
  id: tools.id,
  url: tools.url,
  secretHeader: tools.secretHeader,
  secretSealed: tools.secretSealed,
  parameters: tools.parameters,
  callerLevel: tools.callerLevel,
};

/** A tool as stored in a version of an agent; null if the version is gone or has no such tool. */
const versionTool = (agentId: unknown, number: unknown) => sql<string | null>`(
  SELECT t.value FROM agent_versions v, json_each(v.content, '$.tools') t
  WHERE v.tenant_id = ${tools.tenantId} AND v.agent_id = ${agentId} AND v.number = ${number}
    AND json_extract(t.value, '$.name') = ${tools.name})`;

export const toolTargetStore: ToolTargets = (queries) => ({
  async find(tenantId, name, version) {
    const { agentId = 0, number = 0 } = version ?? {};
    const [found] = await queries
      .select({ ...TARGET, of: versionTool(agentId, number) })
      .from(tools)
      .where(and(eq(tools.tenantId, tenantId), eq(tools.name, name), eq(tools.enabled, true)));
    if (!found) return null;
    const { of: stored, ...now } = found;
    return stored === null ? now : asIn(JSON.parse(stored) as VersionTool, now);
  },

  async byId(tenantId, id) {
    const found = await queries
      .select({ ...TARGET, name: tools.name })
      .from(tools)
      .where(and(eq(tools.tenantId, tenantId), eq(tools.id, id)));
    return found[0] ?? null;
  },
});

/** A secret entered for another server is not sent to the version's server. */
const asIn = ({ url, secretHeader, parameters, callerLevel }: VersionTool, now: ToolTarget) =>
  isSameServer(url, now.url) ? { ...now, url, secretHeader, parameters, callerLevel } : null;
