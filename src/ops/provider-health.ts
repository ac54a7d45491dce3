/**
 * Collects provider problems reported by call workers: a wrong key, no credit, a removed model, a silent voice. Each is
 * stored as a sentence for /readyz and the operator's page until the provider works again. Listeners are
 * called once per problem, not for every call.
 */
import { knownModel } from "../engine/models.ts";
import { PART_NAMES, type Part } from "../engine/provider.ts";
import type { ProviderIncident } from "../engine/provider-incident.ts";
import { combinedProvider, partProvider } from "../engine/registry.ts";
import type { EngineSettings } from "../engine/settings.ts";

export interface ProviderNotice {
  /** Identifies a problem; equal on all nodes. */
  readonly key: string;
  readonly sentence: string;
}

export interface ProviderHealth {
  report(trouble: ProviderIncident): void;
  warnings(): readonly string[];
  onTrouble(listener: (notice: ProviderNotice) => void): void;
}

export function createProviderHealth({
  providers,
}: Pick<EngineSettings, "providers">): ProviderHealth {
  const troubles = new Map<string, ProviderNotice>();
  const listeners: ((notice: ProviderNotice) => void)[] = [];
  return {
    report({ provider, part, trouble }) {
      // Parts that share a session fail together.
      const place = combinedProvider(provider) ? provider : `${provider}:${part}`;
      if (trouble === null) {
        troubles.delete(place);
        return;
      }
      const settings = providers[part].find(({ id }) => id === provider)?.settings ?? {};
      const model = modelOf(settings, part);
      const key = `${place}:${trouble.reason}:${model}`;
      const isKnown = troubles.get(place)?.key === key;
      const notice = { key, sentence: sentenceOf(provider, part, trouble, model) };
      troubles.set(place, notice);
      if (!isKnown) for (const listener of listeners) listener(notice);
    },
    warnings: () => [...troubles.values()].map(({ sentence }) => sentence),
    onTrouble(listener) {
      listeners.push(listener);
    },
  };
}

function modelOf(settings: Readonly<Record<string, unknown>>, part: Part): string {
  const model = settings[`${part}_model`] ?? settings.model;
  return typeof model === "string" ? model : "";
}

function sentenceOf(
  provider: string,
  part: Part,
  { reason, message }: NonNullable<ProviderIncident["trouble"]>,
  model: string,
): string {
  const keys = (partProvider(part, provider) ?? combinedProvider(provider))?.doctorKeys;
  const table = `[engine.${provider}]`;
  const what = combinedProvider(provider) ? "speech and language" : PART_NAMES[part];
  const who = `The provider of ${what}, ${provider},`;
  const said = `Its message: ${message.replace(/[.\s]+$/, "")}.`;
  if (reason === "auth") {
    return `${who} rejects requests: the key is wrong, or the account has no credit. Check ${table} ${keys?.apiKey ?? "api_key"} and the account. ${said}`;
  }
  if (reason === "silent") {
    return `${who} returns only silence. Callers hear another voice, or nothing if there is none. Check the model "${model}" and the voices in ${table}.`;
  }
  const replacement = knownModel(model)?.replacement;
  const instead = replacement ? `, such as ${replacement}` : "";
  return `${who} does not know the model "${model}". It may have been switched off. Set another model in ${table} ${keys?.model ?? "model"}${instead}, or correct ${keys?.baseUrl ?? "base_url"}. ${said}`;
}
