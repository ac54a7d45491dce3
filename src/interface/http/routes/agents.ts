/** Agents over HTTP: fields renamed, rules in agent/. */

import { recordOf, wireOf } from "../../../core/wire-names.ts";
import { AGENT_VOICES } from "../../../domain/agent/agent.ts";
import type { AgentRecord } from "../../../domain/agent/agent-schema.ts";
import { route } from "../contract.ts";
import { Agent, agentContracts, CreatedAgent } from "../contracts/agents.ts";
import type { RouteContext } from "./context.ts";

const present = (agent: AgentRecord, engine: string) => wireOf(Agent, agent, { engine });

export const agentRoutes = ({ settings, dependencies }: RouteContext) => {
  const { agents } = dependencies.services;
  const engine = settings.engineLabel;
  const contracts = agentContracts([...AGENT_VOICES, ...Object.keys(settings.voiceAliases)]);
  return [
    route(contracts.list)(async ({ tenantId }) => ({
      ok: true,
      agents: (await agents.list(tenantId)).map((agent) => present(agent, engine)),
    })),
    route(contracts.create)(async ({ tenantId, body }) => {
      const agent = await agents.create(tenantId, recordOf(body));
      return { ok: true, agent: wireOf(CreatedAgent, agent, { engine }) };
    }),
    route(contracts.get)(async ({ tenantId, params }) => ({
      ok: true,
      agent: present(await agents.get(tenantId, params.id), engine),
    })),
    route(contracts.update)(async ({ tenantId, params, body }) => {
      const changes = recordOf(body);
      return {
        ok: true,
        agent: present(await agents.update(tenantId, params.id, changes), engine),
      };
    }),
    route(contracts.remove)(async ({ tenantId, params }) => {
      await agents.remove(tenantId, params.id);
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
