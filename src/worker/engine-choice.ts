/**
 * Chooses the engine of a call worker by `[engine]`: the embedded one, or providers with the
 * embedded one as fallback.
 */
import type { Engine } from "../conversation/engine-port.ts";
import type { EmbeddedEngine } from "../engine/embedded/engine.ts";
import { createFallbackEngine } from "../engine/fallback/fallback-engine.ts";
import { openProviders } from "../engine/open-providers.ts";
import type { ProviderPorts } from "../engine/provider.ts";
import type { ProviderIncident } from "../engine/provider-incident.ts";
import { type EngineSettings, isEmbeddedOnly } from "../engine/settings.ts";
import { trusting } from "../platform/net/trust.ts";

interface EngineChoiceOptions extends Omit<ProviderPorts, "embedded" | "trust"> {
  /** Used if chosen, and if all providers fail. Closed with the engine. */
  readonly embedded: EmbeddedEngine;
  readonly onTrouble: (trouble: ProviderIncident) => void;
}

export async function chooseEngine(
  settings: EngineSettings,
  options: EngineChoiceOptions,
): Promise<Engine> {
  const { embedded, clock, random, log, onTrouble } = options;
  if (isEmbeddedOnly(settings)) return embedded;
  const trust = trusting(settings.caPem ?? null);
  const ports = { clock, random, log, trust, embedded: embedded.parts };
  const { label, takesMessages, guard } = settings;
  const providers = await openProviders(settings.providers, ports);
  return createFallbackEngine({
    label,
    providers,
    embedded,
    takesMessages,
    guard,
    clock,
    log,
    onTrouble,
  });
}
