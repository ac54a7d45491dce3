/**
 * Sends one request to each part of the engine and shows the result, time and cost, or the
 * provider's error.
 */
import { useState } from "react";
import { answer, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { FileField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { Card, StatusIndicator } from "../../ui/page.tsx";
import { SendForm } from "../../ui/send-form.tsx";

type Draft = Readonly<Record<"stt_wav" | "say" | "ask", string>>;
const EMPTY: Draft = { stt_wav: "", say: "", ask: "" };

/** Omits parts whose field is empty. */
const trialOf = ({ stt_wav, say, ask }: Draft) => ({
  stt_wav: stt_wav || null,
  say: say || null,
  ask: ask || null,
});
const run = async (draft: Draft) =>
  (await answer(own.POST("/operator/engine/try", { body: trialOf(draft) }))).parts;
type PartTrial = Awaited<ReturnType<typeof run>>[number];

export function EngineTrial() {
  const { t } = useText();
  const form = useForm(EMPTY, { unguarded: true });
  const [trials, setTrials] = useState<readonly PartTrial[]>([]);
  return (
    <Card title={t("operator.trial")}>
      <SendForm
        form={form}
        action={t("operator.trial")}
        onSend={async (draft) => {
          setTrials([]);
          setTrials(await run(draft));
        }}
      >
        <p className="soft">{t("operator.trial_lead")}</p>
        <FileField
          label={t("operator.trial_wav")}
          accept=".wav,audio/wav"
          base64={() => true}
          error={form.bind("stt_wav").error}
          onFile={(wav) => form.set({ stt_wav: wav })}
        />
        <TextField label={t("operator.trial_ask")} {...form.bind("ask")} />
        <TextField label={t("operator.trial_say")} {...form.bind("say")} />
        <ul className="list" aria-live="polite">
          {trials.map((trial) => (
            <Trial key={trial.part} trial={trial} />
          ))}
        </ul>
      </SendForm>
    </Card>
  );
}

function Trial({ trial }: { trial: PartTrial }) {
  const { t, ms, eur } = useText();
  const { part, provider, first_ms: firstMs, total_ms: totalMs, result, error, remedy } = trial;
  const times = { first: ms(firstMs ?? totalMs), total: ms(totalMs), cost: eur(trial.cost_eur, 6) };
  return (
    <li>
      <StatusIndicator tone={error === null ? "good" : "bad"} />
      <div className="grow">
        <p>
          <span className="strong">
            {t(`operator.trial_${part}`)} ({provider})
          </span>{" "}
          <span className="soft">{error ?? result}</span>
        </p>
        {error === null && <p className="small muted">{t("operator.trial_times", times)}</p>}
        {remedy !== null && <p className="small muted">{remedy}</p>}
      </div>
    </li>
  );
}
