/** A stored agent for a rehearsal: one of its versions, or its draft. */
import { createHash } from "node:crypto";
import { AGENT_VOICES, type AgentVoice } from "../agent/agent.ts";
import type { AgentContent } from "../agent/agent-content.ts";
import { storedSchemaProblem } from "../tool/tool-rules.ts";
import type { RehearsedAgent } from "./agent-file.ts";

interface StoredAgentOptions
  extends Pick<RehearsedAgent, "company" | "timeZone" | "transferTargets"> {
  readonly tenantId: number;
  readonly id: number;
  readonly version: number | "draft";
  /** `[engine.voice_aliases]` */
  readonly voiceAliases: Readonly<Record<string, AgentVoice>>;
}

/** Number that callers dial in a rehearsal. */
const NUMBER = "+37052000000";

/** Equal for equal contents. A draft changed after its rehearsal gets a different hash. */
export const contentHash = (content: AgentContent): string =>
  createHash("sha256").update(JSON.stringify(content)).digest("hex");

/** Equal for the same scenarios in any order. */
export const scenariosHash = (yamls: readonly string[]): string =>
  createHash("sha256")
    .update(JSON.stringify([...yamls].sort()))
    .digest("hex");

export function storedAgent(
  content: AgentContent,
  texts: ReadonlyMap<string, string>,
  { tenantId, id, version, voiceAliases, ...others }: StoredAgentOptions,
): RehearsedAgent {
  const { files, tools, ...fields } = content;
  const { webhookUrl, transcriptEmail, transcriptEmailEnabled, ...spoken } = fields;
  return {
    ...others,
    number: NUMBER,
    stored: { tenantId, id, version, contentSha256: contentHash(content) },
    agent: {
      ...spoken,
      id,
      voice:
        AGENT_VOICES.find((voice) => voice === fields.voice) ??
        voiceAliases[fields.voice] ??
        "Sari",
      fillerPhrases: fields.fillerPhrases.split("\n").flatMap((line) => line.trim() || []),
    },
    knowledge: files.map(({ filename, format, sha256 }) => ({
      filename,
      format,
      content: texts.get(sha256) ?? "",
    })),
    tools: tools
      .filter(({ parameters }) => storedSchemaProblem(parameters) === null)
      .map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}
