/**
 * `linevoice agent pull|diff|push DIR`: exports a stored agent and its rehearsals as files, and
 * imports them through a draft.
 */
import { createHash } from "node:crypto";
import { ScenarioInvalid } from "../features/rehearsal/scenario-invalid.ts";
import { scenariosHash } from "../features/rehearsal/stored-agent.ts";
import type { InputOf, OperationName, OutputOf } from "../http/contracts/operations.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { asOwnerOf } from "../ops/drop-privileges.ts";
import {
  readAgentFolder,
  readOrigin,
  readScenarios,
  writeAgentFolder,
  writeOrigin,
  writeScenarios,
} from "./agent-folder.ts";
import { operate } from "./operator.ts";
import { WrongUsage } from "./usage.ts";

/** The folder belongs to the invoking user, the data to the data's owner. */
const ask = <Name extends OperationName>(loaded: LoadedConfig, name: Name, input: InputOf<Name>) =>
  asOwnerOf(loaded.dataDir, () => operate(loaded, name, input));

/** Returns the pulled version. Throws not_found, conflict. */
export async function pullAgent(
  loaded: LoadedConfig,
  asked: { readonly tenant: number; readonly agent: number },
  dir: string,
): Promise<number> {
  const found = await ask(loaded, "agent.source", asked);
  const { tenant, agent, version, content, fields, scenarios } = found;
  if (version === "draft") throw new Error("the published version was asked for");
  const files: [string, string][] = [];
  for (const { filename, sha256 } of content.files)
    files.push([filename, (await ask(loaded, "agent.text", { tenant, sha256 })).text]);
  // Tools shared by all agents are not exported.
  const tools = content.tools.flatMap(
    ({ shared, secretHeader, callerLevel, parameters, ...tool }) =>
      shared
        ? []
        : [{ ...tool, secret_header: secretHeader, caller_level: callerLevel, parameters }],
  );
  const rehearsals = scenariosHash(scenarios.map(({ yaml }) => yaml));
  const origin = { tenant, agent, version, rehearsals };
  const replaces = writeAgentFolder(dir, origin, { ...fields, tools }, files);
  writeScenarios(dir, scenarios, replaces);
  return version;
}

/** `dry`: compare only. Throws conflict, or WrongUsage with the invalid lines. */
export async function pushAgent(
  loaded: LoadedConfig,
  dir: string,
  how: { readonly dry: boolean; readonly force: boolean; readonly draft: boolean },
): Promise<OutputOf<"agent.push">> {
  const { tenant, agent, version, rehearsals: base = null } = readOrigin(dir);
  const yamls = readScenarios(dir);
  const { tools, fields, files } = readFolder(dir, Object.keys(loaded.config.engine.voice_aliases));
  const { content } = await ask(loaded, "agent.source", { tenant, agent });
  const known = new Set(content.files.map(({ sha256 }) => sha256));
  const pushed = await ask(loaded, "agent.push", {
    tenant,
    agent,
    version,
    fields,
    ...how,
    // A folder without rehearsals, pulled by an older release, does not delete the stored ones.
    ...(base === null && yamls.length === 0 ? {} : { scenarios: { base, yamls } }),
    tools: tools.map(({ url = "", secret_header = "", ...tool }) => ({
      ...tool,
      url,
      secret_header,
    })),
    files: [...files].map(([filename, text]) => {
      const sha256 = createHash("sha256").update(text).digest("hex");
      return { filename, sha256, ...(known.has(sha256) ? {} : { content: text }) };
    }),
  });
  if (!how.dry)
    writeOrigin(dir, {
      tenant,
      agent,
      version: pushed.version,
      ...(base === null && yamls.length === 0 ? {} : { rehearsals: scenariosHash(yamls) }),
    });
  return pushed;
}

/** Omits the parts of `agent.yaml` that only rehearsals read. */
function readFolder(dir: string, voiceAliases: readonly string[]) {
  try {
    const { agent, files } = readAgentFolder(dir, voiceAliases);
    const { company, time_zone, number, knowledge, tools, transfer_targets, ...fields } = agent;
    return { tools, fields, files };
  } catch (error) {
    if (error instanceof ScenarioInvalid) throw new WrongUsage(error.problems.join("\n"));
    throw error;
  }
}
