/** Builds the call worker's configuration for a call: the agent as it is now, and its knowledge and tools. */

import { createHmac } from "node:crypto";
import type { AgentSnapshot, CallConfig } from "../conversation/call-config.ts";
import { mustLookUp } from "../conversation/prompt/knowledge-section.ts";
import type { Log } from "../core/log.ts";
import { AGENT_VOICES, type AgentVoice } from "../features/agent/agent.ts";
import type { AgentOfCall } from "../features/agent/agent-split.ts";
import type { CallerContext } from "../features/contact/ports.ts";
import type { KnowledgeIndex } from "../features/knowledge/knowledge-index.ts";
import { storedSchemaProblem } from "../features/tool/tool-rules.ts";
import { remoteNumber } from "./call-identity.ts";
import type { CallSetupRecords, CallTenant, KnowledgeFile } from "./stores.ts";

interface CallConfigOptions {
  readonly callId: string;
  readonly direction: "inbound" | "outbound";
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly rtpHost: string;
  /** Default: 8000. */
  readonly sampleRateHz?: 8000 | 16000;
  readonly recordingPath: string | null;
  /** `[engine.voice_aliases]`: the operator's names for the four voices. */
  readonly voiceAliases: Readonly<Record<string, AgentVoice>>;
  readonly callerTagKey: Uint8Array;
  /** Maximum tokens of knowledge to put into the prompt. Default: no limit. */
  readonly knowledgeTokens?: number | undefined;
  /** Information about the other party. Default: none. */
  readonly callerContext?: CallerContext | Promise<CallerContext> | null;
}

/**
 * Pseudonym of a tenant's caller for a provider. The provider can distinguish callers without learning who they
 * are. Calls with the same number get the same tag.
 */
function callerTag(key: Uint8Array, tenantId: number, number: string): string {
  return createHmac("sha256", key).update(`${tenantId} ${number}`).digest("hex").slice(0, 32);
}

const isVoice = (name: string): name is AgentVoice => AGENT_VOICES.some((voice) => voice === name);

/** Agent fields for the worker, without those needed only after the call. */
function snapshot(agent: AgentOfCall, aliases: CallConfigOptions["voiceAliases"]): AgentSnapshot {
  const { createdAt, updatedAt, version, isStoredVersion, ...fields } = agent;
  const { webhookUrl, transcriptEmail, transcriptEmailEnabled, ...spoken } = fields;
  return {
    ...spoken,
    voice: isVoice(agent.voice) ? agent.voice : (aliases[agent.voice] ?? "Sari"),
    fillerPhrases: agent.fillerPhrases
      .split("\n")
      .map((phrase) => phrase.trim())
      .filter(Boolean),
  };
}

/** Drops tools with an invalid schema: a model rejects the whole request because of one bad schema. */
function usable(tools: CallConfig["tools"], callId: string, tenantId: number, log: Log) {
  return tools.filter(({ name, parameters }) => {
    const problem = storedSchemaProblem(parameters);
    if (problem !== null)
      log.warn("call.tool_left_out", { call_id: callId, tenant: tenantId, tool: name, problem });
    return problem === null;
  });
}

/**
 * Configuration to speak one sentence in the agent's voice, without listening. Ignores the agent's other
 * settings.
 */
export function announcementConfig(
  tenant: CallTenant,
  agent: AgentOfCall,
  text: string,
  options: Omit<CallConfigOptions, "callerTagKey" | "recordingPath" | "knowledgeTokens">,
): CallConfig {
  const { voiceAliases, callerContext, ...call } = options;
  const speaker = { ...agent, prompt: "", firstMessage: text, firstSpeaker: "assistant" as const };
  return {
    ...call,
    agent: snapshot(speaker, voiceAliases),
    knowledge: [],
    tools: [],
    disclosure: "",
    recordingPath: null,
    tenantName: tenant.name,
    timeZone: tenant.timeZone,
  };
}

interface CallConfigPorts {
  readonly setup: Pick<CallSetupRecords, "agentContext">;
  readonly knowledgeIndex?: Pick<KnowledgeIndex, "prepare"> | undefined;
  readonly log: Log;
}

/** The whole knowledge goes into the prompt if it fits. Otherwise, the worker looks it up for each question. */
function knowledgeOf(
  tenantId: number,
  files: readonly KnowledgeFile[],
  tokensMax: number,
): Pick<CallConfig, "knowledge" | "knowledgeScope" | "looksUpKnowledge"> {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    knowledge: files.flatMap(({ filename, format, content }) =>
      content === null ? [] : [{ filename, format, content }],
    ),
    knowledgeScope: {
      tenantId,
      files: files.map(({ id, filename, format, version }) => ({ id, filename, format, version })),
    },
    looksUpKnowledge: mustLookUp(bytes, tokensMax),
  };
}

export async function buildCallConfig(
  { setup, knowledgeIndex, log }: CallConfigPorts,
  tenant: CallTenant,
  agent: AgentOfCall,
  options: CallConfigOptions,
): Promise<CallConfig> {
  const {
    voiceAliases,
    callerTagKey,
    knowledgeTokens = Number.POSITIVE_INFINITY,
    ...rest
  } = options;
  const { callerContext: asked = null, ...call } = rest;
  const [{ tools, files, ...known }, callerContext] = await Promise.all([
    setup.agentContext(tenant.id, agent),
    asked,
  ]);
  const knowledge = knowledgeOf(tenant.id, files, knowledgeTokens);
  if (knowledge.knowledgeScope) knowledgeIndex?.prepare(knowledge.knowledgeScope);
  return {
    ...call,
    callerTag: callerTag(callerTagKey, tenant.id, remoteNumber(call)),
    ...known,
    ...knowledge,
    tools: usable(tools, call.callId, tenant.id, log),
    agent: snapshot(agent, voiceAliases),
    memory: callerContext?.knowledge ?? null,
    callerFacts: callerContext?.facts ?? [],
    callerData: callerContext?.data ?? [],
    callerLevel: callerContext?.level ?? 0,
    occasion: callerContext?.occasion ?? null,
    canOptOut: callerContext?.canOptOut ?? false,
    variables: callerContext?.variables ?? {},
    namedGreeting: callerContext?.namedGreeting ?? null,
    tenantName: tenant.name,
    timeZone: tenant.timeZone,
  };
}
