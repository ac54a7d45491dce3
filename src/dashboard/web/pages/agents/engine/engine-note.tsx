/**
 * Chip that shows which engine recognises, answers and speaks. Opened, it lists what this engine
 * can and cannot do in the agent's language.
 */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { applianceQuery, type QueryData } from "../../../api/queries.ts";
import { type Texts, useText } from "../../../i18n/text.tsx";
import { Badge } from "../../../ui/page.tsx";
import type { AgentDraft } from "../agent-draft.ts";

type Engine = QueryData<typeof applianceQuery>["engine"];
const PARTS = ["stt", "llm", "tts"] as const;
const EMBEDDED = "embedded";

/** A provider's display name. */
const named = (id: string | undefined, { t }: Texts): string =>
  id === undefined || id === EMBEDDED ? t("engine.embedded") : id;

/** The STT, LLM and TTS providers in a few words. */
export function engineTitle(engine: Engine, texts: Texts): string {
  const [stt, llm, tts] = PARTS.map((part) => named(engine[part][0], texts));
  return stt === llm && llm === tts
    ? texts.t("engine.one", { engine: stt ?? "" })
    : texts.t("engine.parts", { stt: stt ?? "", llm: llm ?? "", tts: tts ?? "" });
}

/** The fallback of each provider. */
export function fallbacksOf(engine: Engine, texts: Texts): string[] {
  const steps = PARTS.flatMap((part) => {
    const [first, next] = engine[part];
    if (next === undefined) return [];
    return [texts.t("engine.fallback", { first: named(first, texts), next: named(next, texts) })];
  });
  const isRemote = PARTS.some((part) => engine[part][0] !== EMBEDDED);
  const last = isRemote && engine.takes_messages ? [texts.t("engine.takes_messages")] : [];
  return [...new Set(steps), ...last];
}

function limitsOf(engine: Engine, language: AgentDraft["language"], texts: Texts): string[] {
  const { t } = texts;
  const remote = new Set(PARTS.flatMap((part) => engine[part].slice(0, 1)));
  remote.delete(EMBEDDED);
  return [
    ...(engine.trouble ? [t("system_status.engine_provider")] : []),
    ...(engine.stt[0] === EMBEDDED && language === "en" ? [t("engine.hears_questions")] : []),
    ...(engine.tts[0] === EMBEDDED ? [t("engine.speaks_here")] : []),
    ...[...remote].map((provider) => t("engine.of_provider", { provider })),
    ...fallbacksOf(engine, texts),
  ];
}

/** Limits of the built-in engine, by form field; a field without limits is absent. */
export function useEngineHints({ language, voice }: Pick<AgentDraft, "language" | "voice">) {
  const { t } = useText();
  const { data } = useQuery(applianceQuery);
  const { stt, llm } = data?.engine ?? { stt: [], llm: [] };
  const isVoiceFailed = data?.engine.failed_voices.some(
    (failed) => failed.language === language && failed.voice === voice,
  );
  const isDeaf = stt[0] === EMBEDDED && language !== "en";
  return {
    ...(isVoiceFailed ? { voice: t("engine.voice_failed") } : {}),
    ...(isDeaf ? { language: t("engine.hears_keys") } : {}),
    ...(llm[0] === EMBEDDED ? { prompt: t("engine.answers_from_files") } : {}),
  };
}

export function EngineNote({ language }: { language: AgentDraft["language"] }) {
  const texts = useText();
  const { data } = useQuery(applianceQuery);
  const [open, setOpen] = useState(false);
  if (!data) return null;
  const { engine } = data;
  return (
    <details className="engine-note" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Badge tone={engine.trouble ? "warn" : "info"}>{engineTitle(engine, texts)}</Badge>{" "}
        <span className="small muted">{texts.t("engine.limits")}</span>
      </summary>
      {open && (
        <ul className="small">
          {limitsOf(engine, language, texts).map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      )}
    </details>
  );
}
