/** Templates for a new agent: common jobs, with texts in the reader's language. */
import { useState } from "react";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { useReadOnly } from "../../../ui/field.tsx";
import type { Form } from "../../../ui/form.ts";
import { Card } from "../../../ui/page.tsx";
import type { AgentDraft } from "../agent-draft.ts";

type Settings = Pick<AgentDraft, "max_duration_sec" | "voicemail_action">;

/** Their texts are `template.<name>.*` in messages.ts. */
const TEMPLATES = {
  reception: { max_duration_sec: 600, voicemail_action: "hangup" },
  booking: { max_duration_sec: 600, voicemail_action: "leave_message" },
  order_status: { max_duration_sec: 420, voicemail_action: "hangup" },
  survey: { max_duration_sec: 300, voicemail_action: "hangup" },
  after_hours: { max_duration_sec: 300, voicemail_action: "hangup" },
} as const satisfies Readonly<Record<string, Settings>>;
type TemplateName = keyof typeof TEMPLATES;
const NAMES = Object.keys(TEMPLATES) as TemplateName[];

/** Keeps what the person typed: choosing the first entry restores it. */
export function Templates({ form }: { form: Form<AgentDraft> }) {
  const { t, language } = useText();
  const { tenant } = useSession();
  const { values } = form;
  const [own, setOwn] = useState(values);
  const wordsOf = (name: TemplateName): Partial<AgentDraft> => ({
    ...TEMPLATES[name],
    language,
    name: t(`template.${name}.name`),
    prompt: t(`template.${name}.prompt`, { company: tenant?.name ?? "" }),
    first_message: t(`template.${name}.first_message`, { company: tenant?.name ?? "" }),
    first_speaker: "assistant",
    filler_phrases: "",
  });
  const isReadOnly = useReadOnly();
  if (isReadOnly) return null;
  const chosen = NAMES.find((name) => wordsOf(name).prompt === values.prompt);

  function choose(name: TemplateName): void {
    if (!chosen) setOwn(values);
    form.set(wordsOf(name));
  }
  return (
    <Card title={t("template.title")} note={t("template.lead")}>
      <div className="templates">
        <Choice
          title={t("template.blank")}
          note={t("template.blank_note")}
          chosen={!chosen}
          onChoose={() => chosen && form.set(own)}
        />
        {NAMES.map((name) => (
          <Choice
            key={name}
            title={t(`template.${name}.name`)}
            note={t(`template.${name}.note`)}
            chosen={chosen === name}
            onChoose={() => choose(name)}
          />
        ))}
      </div>
    </Card>
  );
}

function Choice(props: { title: string; note: string; chosen: boolean; onChoose: () => void }) {
  return (
    <button type="button" className="template" aria-pressed={props.chosen} onClick={props.onChoose}>
      <span className="strong">{props.title}</span>
      <span className="small muted">{props.note}</span>
    </button>
  );
}
