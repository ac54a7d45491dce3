/** Scenarios for an agent's rehearsals (simulated test calls), stored with the agent by name. */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { ScenarioInvalid } from "../rehearsal/scenario-invalid.ts";
import type { ScenarioReader } from "../rehearsal/scenario-reader.ts";
import { agentScenarioStore } from "./agent-scenario-store.ts";
import { agentStore } from "./agent-store.ts";

interface StoredScenario {
  readonly id: number;
  readonly name: string;
  readonly yaml: string;
  readonly updatedAt: number;
}

export const SCENARIOS_OF_AGENT_MAX = 200;
export const SCENARIO_CHARACTERS_MAX = 50_000;

type Reader = Pick<ScenarioReader, "read">;

export type AgentScenarios = ReturnType<typeof createAgentScenarios>;

export function createAgentScenarios({
  database,
  clock,
  scenarioReader: reader,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly scenarioReader: Reader;
}) {
  return {
    /** Throws valid_yaml_required for an invalid scenario, duplicate names, or too many. */
    byName: (tenantId: number, yamls: readonly string[]) =>
      scenariosByName(reader, tenantId, yamls),

    /** By name. Throws not_found. */
    async list(tenantId: number, agentId: number): Promise<StoredScenario[]> {
      await requireAgent(database.read, tenantId, agentId);
      return await agentScenarioStore(database.read).list(tenantId, agentId);
    },

    /** Creates or replaces the scenario with this name. Throws not_found, valid_yaml_required, conflict. */
    async put(tenantId: number, agentId: number, yaml: string): Promise<StoredScenario> {
      const { name, from_call: callUuid = null } = await scenarioOf(reader, tenantId, yaml);
      return await database.tx(async (queries) => {
        await requireAgent(queries, tenantId, agentId);
        const updatedAt = clock.now();
        const stored = await keep(queries, { tenantId, agentId, name, yaml, callUuid, updatedAt });
        if ((await agentScenarioStore(queries).count(tenantId, agentId)) > SCENARIOS_OF_AGENT_MAX)
          throw tooMany();
        return stored;
      });
    },

    /** Replaces all stored scenarios. Throws not_found, valid_yaml_required. */
    async replace(tenantId: number, agentId: number, yamls: readonly string[]): Promise<void> {
      const wanted = await scenariosByName(reader, tenantId, yamls);
      await database.tx(async (queries) => {
        await requireAgent(queries, tenantId, agentId);
        const store = agentScenarioStore(queries);
        const kept = await store.list(tenantId, agentId);
        for (const { id, name } of kept)
          if (!wanted.has(name)) await store.remove(tenantId, agentId, id);
        const updatedAt = clock.now();
        for (const [name, { yaml, callUuid }] of wanted) {
          if (kept.some((each) => each.name === name && each.yaml === yaml)) continue;
          await keep(queries, { tenantId, agentId, name, yaml, callUuid, updatedAt });
        }
      });
    },

    /** Throws not_found. */
    remove: (tenantId: number, agentId: number, id: number): Promise<void> =>
      database.tx(async (queries) => {
        await requireAgent(queries, tenantId, agentId);
        if (!(await agentScenarioStore(queries).remove(tenantId, agentId, id)))
          throw notFound("scenario");
      }),
  };
}

async function requireAgent(queries: Queries, tenantId: number, agentId: number): Promise<void> {
  if (!(await agentStore(queries).find(tenantId, agentId))) throw notFound("agent");
}

/** Throws valid_yaml_required if its call was deleted. Calls of other appliances are unknown here. */
async function keep(
  queries: Queries,
  scenario: Parameters<ReturnType<typeof agentScenarioStore>["put"]>[0],
): Promise<StoredScenario> {
  const store = agentScenarioStore(queries);
  const { tenantId, callUuid = null } = scenario;
  if (callUuid !== null && (await store.isCallExpired(tenantId, callUuid)))
    throw invalidField("yaml", "The call in `from_call` was deleted together with its scenarios.");
  return await store.put(scenario);
}

async function scenarioOf(reader: Reader, tenantId: number, yaml: string) {
  if (yaml.length > SCENARIO_CHARACTERS_MAX)
    throw invalidField(
      "yaml",
      `A scenario can have at most ${SCENARIO_CHARACTERS_MAX} characters.`,
      {
        reason: "length_max",
        params: { to: SCENARIO_CHARACTERS_MAX },
      },
    );
  try {
    return await reader.read(tenantId, { file: "scenario.yaml", source: yaml, linesBefore: 0 });
  } catch (error) {
    if (!(error instanceof ScenarioInvalid)) throw error;
    throw invalidField("yaml", ...error.inOneField);
  }
}

async function scenariosByName(
  reader: Reader,
  tenantId: number,
  yamls: readonly string[],
): Promise<ReadonlyMap<string, { readonly yaml: string; readonly callUuid: string | null }>> {
  const found = new Map<string, { yaml: string; callUuid: string | null }>();
  for (const yaml of yamls) {
    const { name, from_call: callUuid = null } = await scenarioOf(reader, tenantId, yaml);
    if (found.has(name)) throw invalidField("yaml", `Two scenarios are named "${name}".`);
    found.set(name, { yaml, callUuid });
  }
  if (found.size > SCENARIOS_OF_AGENT_MAX) throw tooMany();
  return found;
}

const tooMany = () =>
  new AppError({
    code: "conflict",
    publicMessage: `An agent can have at most ${SCENARIOS_OF_AGENT_MAX} scenarios. Delete one first.`,
    reason: "scenarios_of_agent",
    params: { most: SCENARIOS_OF_AGENT_MAX },
  });
