/**
 * Warns 60 days before a model in use is switched off. The date comes from its server (`shutdown_date` of
 * `GET /models`), or else from a table of known models. The engine check reports a server that does not
 * respond.
 */

import type { Clock } from "../../core/clock.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { knownModel } from "../../engine/models.ts";
import { PARTS, type UsedModel } from "../../engine/provider.ts";
import { combinedProvider, partProvider } from "../../engine/registry.ts";
import { type Trust, trusting } from "../../platform/net/trust.ts";
import { engineSettingsOf } from "../config/engine-settings.ts";
import { authoritiesOf } from "../config/pem.ts";
import type { Config } from "../config/schema.ts";
import { type Check, ok, skipped, warning } from "./check.ts";

const WARN_DAYS = 60;
const DAY_MS = 86_400_000;
const LIST_MS_MAX = 5_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Shutdown date per model; null: not announced. */
type ShutdownDates = ReadonlyMap<string, string | null>;

export const modelEnds: Check = {
  name: "models",
  async run({ config, clock }) {
    const used = usedModels(config);
    if (used.length === 0) return skipped("The engine uses no external models.");
    const trust = trusting(authoritiesOf(config));
    const urls = new Map(used.map(({ list }) => [list.url, list]));
    const lists = new Map(
      await Promise.all(
        [...urls].map(async ([url, list]) => [url, await listed(list, trust, clock)] as const),
      ),
    );
    const ending = used.flatMap((model) => {
      const date = shutdownOf(model, lists.get(model.list.url));
      const days = date === null ? Infinity : (Date.parse(date) - clock.now()) / DAY_MS;
      return days <= WARN_DAYS ? [{ ...model, date, isOver: days <= 0 }] : [];
    });
    if (ending.length === 0) return ok(`No end is announced within ${WARN_DAYS} days.`);
    return warning(
      ending
        .map(({ model, date, isOver }) =>
          isOver ? `${model} was switched off on ${date}.` : `${model} is switched off on ${date}.`,
        )
        .join(" "),
      ending.map(({ table, key, model }) => remedyFor(table, key, model)).join(" "),
    );
  },
};

function remedyFor(table: string, key: string, model: string): string {
  const replacement = knownModel(model)?.replacement;
  return `Set [engine.${table}] ${key} to ${replacement ? `"${replacement}" or ` : ""}another model before then.`;
}

/** Each model once, even if several parts use it. */
function usedModels(
  config: Pick<Config, "engine">,
): readonly (UsedModel & { readonly table: string })[] {
  const { providers } = engineSettingsOf(config);
  const used = PARTS.flatMap((part) =>
    providers[part].flatMap(({ id, settings }) => {
      const provider = partProvider(part, id) ?? combinedProvider(id);
      return (provider?.models?.(settings) ?? []).map((model) => ({ ...model, table: id }));
    }),
  );
  return [...new Map(used.map((one) => [`${one.table} ${one.key}`, one])).values()];
}

function shutdownOf({ model }: UsedModel, dates: ShutdownDates | null | undefined): string | null {
  const told = dates?.get(model);
  return told === undefined ? (knownModel(model)?.shutdown ?? null) : told;
}

/** Null: the server has no list. A model without the field is left out. */
async function listed(
  { url, headers }: UsedModel["list"],
  trust: Trust,
  clock: Clock,
): Promise<ShutdownDates | null> {
  const limit = new AbortController();
  const timer = clock.after(LIST_MS_MAX, () => limit.abort());
  try {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: limit.signal,
      ...trust,
    });
    const body: JsonValue = response.ok ? ((await response.json()) as JsonValue) : null;
    const data = isObject(body) ? body.data : null;
    const models = Array.isArray(data) ? data.filter(isObject) : [];
    return new Map(
      models.flatMap(({ id, shutdown_date: date }) => {
        const isDate = typeof date === "string" && DATE.test(date);
        return typeof id === "string" && (isDate || date === null)
          ? [[id, isDate ? date : null]]
          : [];
      }),
    );
  } catch {
    return null;
  } finally {
    timer.cancel();
  }
}
