/** The agent of a rehearsal as a file: its fields as in the REST API, its company, knowledge and tools. */
import { z } from "zod";
import type {
  AgentSnapshot,
  CallConfig,
  KnowledgeSnapshot,
  ToolSnapshot,
} from "../../conversation/call-config.ts";
import { mustLookUp } from "../../conversation/prompt/knowledge-section.ts";
import type { JsonObject } from "../../core/json.ts";
import { recordOf } from "../../core/wire-names.ts";
import { AGENT_VOICES } from "../agent/agent.ts";
import { agentShape, withTexts } from "../agent/agent-schema.ts";
import type { Scenario } from "./scenario.ts";

/** `aliases`: the operator's names for voices. */
export const agentFileOf = (aliases: readonly string[]) =>
  z.strictObject({
    ...agentShape([...AGENT_VOICES, ...aliases]),
    company: z.string().trim().min(1).max(200).default("Company"),
    time_zone: z
      .string()
      .refine(isZone, "must be a time zone such as Europe/Vilnius")
      .default("UTC"),
    number: z.string().default("+37052000000"),
    /** Files in the same folder. */
    knowledge: z
      .array(z.string().regex(/\.(?:txt|md|csv|json)$/i, "must be .txt, .md, .csv or .json"))
      .default([]),
    tools: z
      .array(
        z.strictObject({
          name: z.string().regex(/^[a-zA-Z_]\w{0,63}$/),
          description: z.string().min(1).max(1_000),
          parameters: z.record(z.string(), z.json()).default({ type: "object", properties: {} }),
          /** Present in exports of stored agents. A rehearsal never requests it. */
          url: z.string().optional(),
          secret_header: z.string().optional(),
          caller_level: z.literal([0, 1, 2]).default(0),
        }),
      )
      .default([]),
    transfer_targets: z.record(z.string(), z.string()).default({}),
  });
export const AgentFile = agentFileOf([]);
export type AgentFile = z.output<typeof AgentFile>;

/** Everything that a rehearsal needs of an agent, from a file or the store. */
export interface RehearsedAgent {
  readonly agent: AgentSnapshot;
  readonly company: string;
  readonly timeZone: string;
  readonly number: string;
  readonly knowledge: readonly KnowledgeSnapshot[];
  readonly tools: readonly ToolSnapshot[];
  readonly transferTargets: Readonly<Record<string, string>>;
  /** Missing if it was read from a file. */
  readonly stored?: {
    readonly id: number;
    readonly version: number | "draft";
    readonly tenantId: number;
    readonly contentSha256: string;
  };
}

/** `read` returns the text of a file in the agent's folder. */
export async function agentOf(
  file: AgentFile,
  read: (name: string) => Promise<string>,
): Promise<RehearsedAgent> {
  const {
    company,
    time_zone: timeZone,
    number,
    knowledge,
    tools,
    transfer_targets,
    ...fields
  } = file;
  const { webhookUrl, transcriptEmail, transcriptEmailEnabled, ...agent } = withTexts(
    recordOf(fields),
  );
  return {
    company,
    timeZone,
    number,
    transferTargets: transfer_targets,
    agent: {
      ...agent,
      id: 1,
      voice: AGENT_VOICES.find((voice) => voice === agent.voice) ?? "Sari",
      fillerPhrases: agent.fillerPhrases.split("\n").filter((phrase) => phrase.trim() !== ""),
    },
    knowledge: await Promise.all(
      knowledge.map(async (filename) => ({
        filename,
        format: formatOf(filename),
        content: await read(filename),
      })),
    ),
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: parameters as JsonObject,
    })),
  };
}

function formatOf(filename: string): KnowledgeSnapshot["format"] {
  const [ending = ""] = /[a-z]+$/.exec(filename.toLowerCase()) ?? [];
  return ending === "md" || ending === "csv" || ending === "json" ? ending : "txt";
}

/** Call configuration for a scenario, as the conversation gets it. */
export function callConfigOf(
  { agent, company, timeZone, number, knowledge, tools }: RehearsedAgent,
  { direction, caller, variables, can_opt_out: canOptOut }: Scenario,
  callId: string,
  knowledgeTokens = Number.POSITIVE_INFINITY,
): CallConfig {
  const looksUpKnowledge = mustLookUp(
    knowledge.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
    knowledgeTokens,
  );
  const [fromNumber, toNumber] =
    direction === "inbound" ? [caller.number, number] : [number, caller.number];
  return {
    callId,
    direction,
    fromNumber,
    toNumber,
    agent,
    knowledge: looksUpKnowledge ? [] : knowledge,
    tools,
    knowledgeScope: {
      tenantId: 0,
      files: knowledge.map(({ filename, format }, at) => ({
        id: at + 1,
        filename,
        format,
        version: 1,
      })),
    },
    looksUpKnowledge,
    tenantName: company,
    timeZone,
    variables,
    canOptOut,
    rtpHost: "127.0.0.1",
    recordingPath: null,
  };
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== "";
  } catch {
    return false;
  }
}
