/** Which engine a call worker runs, as `[engine]` says: the embedded one, or providers guarded by it. */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Engine } from "../../domain/conversation/engine-port.ts";
import { createFallbackEngine } from "../engine/fallback/fallback-engine.ts";
import { createOpenAiEngine } from "../engine/openai/engine.ts";
import { createRealtimeEngine } from "../engine/realtime/engine.ts";
import type { EngineSettings, ProviderSettings } from "../engine/settings.ts";

interface EngineChoiceOptions {
  /** Speaks where no provider is configured, and when all of them fail. Closed with the engine. */
  readonly embedded: Engine;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function chooseEngine(settings: EngineSettings, options: EngineChoiceOptions): Engine {
  const { embedded, clock, log } = options;
  if (settings.providers.length === 0) return embedded;
  return createFallbackEngine({
    providers: settings.providers.map((provider) => ({
      name: provider.name,
      engine: createProvider(provider, options),
    })),
    embedded,
    takesMessages: settings.takesMessages,
    guard: settings.guard,
    clock,
    log,
  });
}

function createProvider(
  settings: ProviderSettings,
  options: Pick<EngineChoiceOptions, "clock" | "random" | "log">,
): Engine {
  return settings.kind === "openai"
    ? createOpenAiEngine({ settings, ...options })
    : createRealtimeEngine({ settings, ...options });
}
