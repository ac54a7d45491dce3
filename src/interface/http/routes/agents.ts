/** Agents over HTTP: fields renamed, rules in agent/. */

import { agentStore } from "../../../adapter/store/agent-store.ts";
import { isoUtc } from "../../../core/clock.ts";
import { AGENT_VOICES } from "../../../domain/agent/agent.ts";
import { type AgentFields, type AgentRecord, createAgents } from "../../../domain/agent/agents.ts";
import { route } from "../contract.ts";
import { agentContracts } from "../contracts/agents.ts";
import type { RouteContext } from "./context.ts";
import { renamed } from "./present.ts";

const FIELDS = {
  name: "name",
  prompt: "prompt",
  first_message: "firstMessage",
  first_speaker: "firstSpeaker",
  voice: "voice",
  language: "language",
  max_duration_sec: "maxDurationSeconds",
  voicemail_action: "voicemailAction",
  send_digits_inbound: "sendDigitsInbound",
  filler_phrases: "fillerPhrases",
  webhook_url: "webhookUrl",
  transcript_email: "transcriptEmail",
  transcript_email_enabled: "transcriptEmailEnabled",
} as const;

const present = (agent: AgentRecord, engine: string) => ({
  id: agent.id,
  name: agent.name,
  prompt: agent.prompt,
  first_message: agent.firstMessage,
  first_speaker: agent.firstSpeaker,
  voice: agent.voice,
  language: agent.language,
  max_duration_sec: agent.maxDurationSeconds,
  voicemail_action: agent.voicemailAction,
  send_digits_inbound: agent.sendDigitsInbound,
  filler_phrases: agent.fillerPhrases,
  webhook_url: agent.webhookUrl,
  transcript_email: agent.transcriptEmail,
  transcript_email_enabled: agent.transcriptEmailEnabled,
  engine,
  created_at: isoUtc(agent.createdAt),
  updated_at: isoUtc(agent.updatedAt),
});

export const agentRoutes = ({ settings, dependencies }: RouteContext) => {
  const { database, billing, clock, urlProblem } = dependencies;
  const engine = settings.engineLabel;
  const agents = createAgents({
    ...{ database, records: agentStore, plans: billing, clock, urlProblem },
  });
  const contracts = agentContracts([...AGENT_VOICES, ...Object.keys(settings.voiceAliases)]);
  return [
    route(contracts.list)(async ({ tenantId }) => ({
      ok: true,
      agents: (await agents.list(tenantId)).map((agent) => present(agent, engine)),
    })),
    route(contracts.create)(async ({ tenantId, body }) => {
      const { name, prompt } = body;
      const agent = await agents.create(tenantId, {
        ...renamed<AgentFields>(body, FIELDS),
        name,
        prompt,
      });
      return {
        ok: true,
        agent: {
          id: agent.id,
          name: agent.name,
          language: agent.language,
          voice: agent.voice,
          engine,
          max_duration_sec: agent.maxDurationSeconds,
          webhook_url: agent.webhookUrl,
        },
      };
    }),
    route(contracts.get)(async ({ tenantId, params }) => ({
      ok: true,
      agent: present(await agents.get(tenantId, params.id), engine),
    })),
    route(contracts.update)(async ({ tenantId, params, body }) => {
      const changes = renamed<AgentFields>(body, FIELDS);
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
