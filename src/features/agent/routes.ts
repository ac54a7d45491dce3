/** Agents (specification 2 and 4, decisions 3). Contracts depend on the voices that the operator allows. */

import { z } from "zod";
import { knowledgeShare } from "../../conversation/prompt/knowledge-section.ts";
import { changesOf, shownFields } from "../../core/schema.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { authorOf, contract, route } from "../../http/contract.ts";
import { deletedReply, idOut, okReply, shown, timeOut } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { AGENT_VOICES } from "./agent.ts";
import { type AgentRecord, agentShape } from "./agent-schema.ts";

const fields = agentShape(AGENT_VOICES);

const shownAgent = z.strictObject({
  id: idOut("agent"),
  ...shownFields(fields),
  voice: shown(z.string(), "Voice of the agent.", "Sari"),
  engine: shown(z.string(), "Name of the engine.", "embedded"),
  created_at: timeOut("Time of creation."),
  updated_at: timeOut("Time of the last change."),
  version: shown(z.int(), "Number of the published version.", 1),
});

const Agent = shownAgent.meta({ id: "Agent" });

const AgentDetail = shownAgent
  .extend({
    knowledge: z.strictObject({
      tokens: shown(z.int(), "Size of the agent's files in tokens, four bytes each.", 1200),
      budget_tokens: shown(z.int(), "Size up to which the files are in the prompt.", 24_000),
      in_prompt: shown(
        z.enum(["whole", "passages"]),
        "`whole`: all files are in the prompt. `passages`: each question gets the passages that match.",
        "whole",
      ),
    }),
    capabilities: z.strictObject({
      understands_speech: shown(
        z.boolean(),
        "Whether the engine understands the agent's language. Otherwise it speaks and offers keys.",
        true,
      ),
      follows_prompt: shown(
        z.boolean(),
        "Whether the engine follows the prompt. Otherwise it answers from the files and tools alone.",
        true,
      ),
      voices: shown(z.array(z.string()), "Voices that the agent can have.", [...AGENT_VOICES]),
    }),
  })
  .meta({ id: "AgentDetail" });

const CreatedAgent = shownAgent
  .pick({
    id: true,
    name: true,
    language: true,
    voice: true,
    engine: true,
    max_duration_sec: true,
    webhook_url: true,
  })
  .meta({ id: "CreatedAgent" });

const list = contract({
  operationId: "listAgents",
  at: "GET /agents",
  cacheable: true,
  tag: "Agents",
  summary: "List agents",
  reply: okReply({ agents: z.array(Agent) }),
});

const get = contract({
  operationId: "getAgent",
  at: "GET /agents/{id}",
  noun: "agent",
  tag: "Agents",
  summary: "One agent",
  reply: okReply({ agent: AgentDetail }),
});

const remove = contract({
  operationId: "deleteAgent",
  recordsChanges: true,
  at: "DELETE /agents/{id}",
  noun: "agent",
  tag: "Agents",
  summary: "Delete an agent",
  description:
    "Knowledge files are detached. Numbers and pending schedules that used the agent get `agent_id` null. Live calls continue.",
  reply: deletedReply(),
});

type AgentShape = ReturnType<typeof agentShape>;

const create = (shape: AgentShape) =>
  contract({
    operationId: "createAgent",
    recordsChanges: true,
    at: "POST /agents",
    tag: "Agents",
    summary: "Create an agent",
    description:
      "Only `name` and `prompt` are required. The schema gives the defaults of the other fields.",
    body: z.strictObject(shape).meta({ id: "NewAgent" }),
    reply: okReply({ agent: CreatedAgent }),
    errors: ["plan_limit_reached", "valid_name_required", "unknown_field", "invalid_json"],
  });

const update = (shape: AgentShape) =>
  contract({
    operationId: "updateAgent",
    recordsChanges: true,
    at: "PATCH /agents/{id}",
    noun: "agent",
    tag: "Agents",
    summary: "Change an agent",
    description:
      "Accepts any subset of the fields. The change is published at once as a new version. Live calls keep the version with which they started.",
    body: z.strictObject(changesOf(shape)).meta({ id: "AgentChanges" }),
    reply: okReply({ agent: AgentDetail }),
    errors: ["valid_voice_required", "unknown_field", "invalid_json"],
  });

/** `voices`: names that this appliance accepts. */
export function agentContracts(voices: readonly string[]) {
  const shape = agentShape(voices);
  return { list, create: create(shape), get, update: update(shape), remove };
}

const present = (agent: AgentRecord, engine: string) => wireOf(Agent, agent, { engine });

export const agentRoutes = ({ settings, dependencies }: RouteContext) => {
  const { agents, files } = dependencies.services;
  const engine = settings.engineLabel;
  const voices = [...AGENT_VOICES, ...Object.keys(settings.voiceAliases)];
  const contracts = agentContracts(voices);

  async function detailed(tenantId: number, agent: AgentRecord) {
    const bytes = (await files.bytesOfAgents(tenantId)).get(agent.id) ?? 0;
    const { tokens, budgetTokens, inPrompt } = knowledgeShare(bytes, settings.knowledgeTokens);
    const { understandsSpeech, followsPrompt } = dependencies.engineCapabilities(agent.language);
    return wireOf(AgentDetail, agent, {
      engine,
      knowledge: { tokens, budget_tokens: budgetTokens, in_prompt: inPrompt },
      capabilities: {
        understands_speech: understandsSpeech,
        follows_prompt: followsPrompt,
        voices,
      },
    });
  }
  return [
    route(contracts.list)(async ({ tenantId }) => ({
      ok: true,
      agents: (await agents.list(tenantId)).map((agent) => present(agent, engine)),
    })),
    route(contracts.create)(async ({ tenantId, body, ...request }) => {
      const agent = await agents.create(tenantId, recordOf(body), authorOf(request));
      return { ok: true, agent: wireOf(CreatedAgent, agent, { engine }) };
    }),
    route(contracts.get)(async ({ tenantId, params }) => ({
      ok: true,
      agent: await detailed(tenantId, await agents.get(tenantId, params.id)),
    })),
    route(contracts.update)(async ({ tenantId, params, body, ...request }) => {
      const author = authorOf(request);
      const agent = await agents.update(tenantId, params.id, recordOf(body), author);
      return { ok: true, agent: await detailed(tenantId, agent) };
    }),
    route(contracts.remove)(async ({ tenantId, params }) => {
      await agents.remove(tenantId, params.id);
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
