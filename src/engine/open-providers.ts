/** Opens the providers in `[engine]`, each once for all its parts. */
import type { Engine } from "../conversation/engine-port.ts";
import type { ProviderSource, ProviderSources } from "./fallback/providers.ts";
import type { Part, ProviderPorts } from "./provider.ts";
import { combinedProvider, partProvider } from "./registry.ts";
import type { EngineSettings, ProviderChoice } from "./settings.ts";

export async function openProviders(
  choices: EngineSettings["providers"],
  ports: ProviderPorts,
): Promise<ProviderSources> {
  const combined = new Map<string, Promise<Engine>>();
  const open = async <P extends Part>(
    part: P,
    { id, settings }: ProviderChoice,
  ): Promise<ProviderSource<P>> => {
    const provider = partProvider(part, id);
    if (provider !== null) return { name: id, engine: await provider.open(settings, ports) };
    const whole = combinedProvider(id);
    if (whole === null) throw new RangeError(`no provider of ${part} is called ${id}`);
    const engine = combined.get(id) ?? whole.open(settings, ports);
    combined.set(id, engine);
    return { name: id, combined: await engine };
  };
  const { stt, llm, tts } = choices;
  return {
    stt: await Promise.all(stt.map((choice) => open("stt", choice))),
    llm: await Promise.all(llm.map((choice) => open("llm", choice))),
    tts: await Promise.all(tts.map((choice) => open("tts", choice))),
  };
}
