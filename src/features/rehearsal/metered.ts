/** Meters a company's rehearsals with a paid engine (billing/trials.ts), call by call. */

import type { Engine, LlmSession } from "../../conversation/engine-port.ts";
import { UsageMeter } from "../../conversation/usage-meter.ts";
import { describeError } from "../../core/errors.ts";
import type { TrialMeter } from "../billing/trials.ts";
import type { TextRehearsalPorts } from "./rehearse-text.ts";
import { failedResult } from "./result.ts";
import type { SuiteOptions } from "./suite.ts";

type Phones = Pick<SuiteOptions, "rehearse">;

/** If the meter rejects a call, the call fails with the reason. */
export function meteredText(
  ports: TextRehearsalPorts,
  trials: TrialMeter,
  tenantId: number,
): TextRehearsalPorts {
  const { openEngine, openModel, clock } = ports;
  /** Each engine serves one call. Its usage is recorded when the call closes it. */
  const counter = () => {
    const used = new UsageMeter();
    const startedAt = clock.monotonic();
    const record = () =>
      trials.record(tenantId, { ...used.read(), durationMs: clock.monotonic() - startedAt });
    return { used, record };
  };
  return {
    ...ports,
    async openEngine(callClock) {
      await trials.require(tenantId);
      const { used, record } = counter();
      const engine = await openEngine(callClock);
      return { ...counted(engine, used), close: () => engine.close().finally(record) };
    },
    openModel:
      openModel &&
      (async () => {
        await trials.require(tenantId);
        const { used, record } = counter();
        const model = await openModel();
        return {
          open(prompt) {
            const session = model.open(prompt);
            return { llm: countedLlm(session.llm, used), close: () => session.close() };
          },
          close: () => model.close().finally(record),
        };
      }),
  };
}

const counted = (engine: Engine, used: UsageMeter): Engine => ({
  label: engine.label,
  open(settings) {
    const session = engine.open(settings);
    return {
      stt: session.stt,
      tts: session.tts,
      llm: countedLlm(session.llm, used),
      ...(session.switchLanguage
        ? { switchLanguage: (language) => session.switchLanguage?.(language) }
        : {}),
      close: () => session.close(),
    };
  },
  close: () => engine.close(),
});

const countedLlm = (llm: LlmSession, used: UsageMeter): LlmSession => ({
  ...(llm.capabilities ? { capabilities: llm.capabilities } : {}),
  heardSoFar: (text) => llm.heardSoFar?.(text),
  async *respond(input, signal) {
    try {
      for await (const event of llm.respond(input, signal)) {
        if (event.type === "done") used.tokens(event.usage);
        yield event;
      }
    } finally {
      const cut = llm.takeUsage?.();
      if (cut) used.tokens(cut);
    }
  },
  truncateSpoken: (text, playedMs) => llm.truncateSpoken(text, playedMs),
  summarize: (end) => llm.summarize(end),
});

/** Meters the duration of the calls, twice if a model plays the caller or judges. */
export const meteredPhones = (phones: Phones, trials: TrialMeter, tenantId: number): Phones => ({
  async rehearse(each, run) {
    const { scenario, agent } = each;
    try {
      await trials.require(tenantId);
    } catch (error) {
      return failedResult(scenario, run, agent, describeError(error));
    }
    const result = await phones.rehearse(each, run);
    const models = scenario.persona !== undefined || scenario.judge.length > 0 ? 2 : 1;
    await trials.record(tenantId, {
      ...new UsageMeter().read(),
      durationMs: result.call.durationMs * models,
    });
    return result;
  },
});
