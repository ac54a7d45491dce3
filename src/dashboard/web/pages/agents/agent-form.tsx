/** Every field of an agent, for a new one and for one that exists. */
import type { Rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { AreaField, NumberField, SelectField, SwitchField, TextField } from "../../ui/field.tsx";
import type { Form } from "../../ui/form.ts";
import { Card } from "../../ui/page.tsx";
import { DisclosureNote } from "./disclosure-note.tsx";

type Agent = Rest["Agent"];
const VOICES = ["Sari", "Emma", "Nathan", "Adrian"];
const LANGUAGES = ["lt", "lv", "en", "ru"] as const;

export interface AgentDraft {
  readonly name: string;
  readonly prompt: string;
  readonly first_message: string;
  readonly first_speaker: Agent["first_speaker"];
  readonly voice: string;
  readonly language: Agent["language"];
  readonly max_duration_sec: number | null;
  readonly voicemail_action: Agent["voicemail_action"];
  readonly send_digits_inbound: boolean;
  readonly filler_phrases: string;
  readonly webhook_url: string;
  readonly transcript_email: string;
  readonly transcript_email_enabled: boolean;
}

export const emptyDraft = (language: Agent["language"]): AgentDraft => ({
  name: "",
  prompt: "",
  first_message: "",
  first_speaker: "assistant",
  voice: "Sari",
  language,
  max_duration_sec: 600,
  voicemail_action: "hangup",
  send_digits_inbound: false,
  filler_phrases: "",
  webhook_url: "",
  transcript_email: "",
  transcript_email_enabled: false,
});

export const draftOf = (agent: Agent): AgentDraft => ({
  ...agent,
  webhook_url: agent.webhook_url ?? "",
  transcript_email: agent.transcript_email ?? "",
});

/** As the API takes it: empty addresses are null. */
export const bodyOf = (draft: AgentDraft) => ({
  name: draft.name,
  prompt: draft.prompt,
  first_message: draft.first_message,
  first_speaker: draft.first_speaker,
  voice: draft.voice as "Sari",
  language: draft.language,
  max_duration_sec: draft.max_duration_sec ?? 600,
  voicemail_action: draft.voicemail_action,
  send_digits_inbound: draft.send_digits_inbound,
  filler_phrases: draft.filler_phrases,
  webhook_url: draft.webhook_url || null,
  transcript_email: draft.transcript_email || null,
  transcript_email_enabled: draft.transcript_email_enabled,
});

/** A new agent's empty texts are left out: the API has good ones in the agent's language. */
export function newBodyOf(draft: AgentDraft) {
  const { first_message, filler_phrases, ...body } = bodyOf(draft);
  return {
    ...body,
    ...(first_message ? { first_message } : {}),
    ...(filler_phrases ? { filler_phrases } : {}),
  };
}

export function AgentFields({ form }: { form: Form<AgentDraft> }) {
  const { t } = useText();
  const voices = VOICES.includes(form.values.voice) ? VOICES : [...VOICES, form.values.voice];
  return (
    <>
      <Card title={t("agents.section.identity")}>
        <TextField
          label={t("agents.name")}
          hint={t("agents.name_hint")}
          required
          {...form.bind("name")}
        />
        <div className="columns">
          <SelectField
            label={t("agents.language")}
            choices={LANGUAGES.map((value) => ({ value, label: t(`lang.${value}`) }))}
            {...form.bind("language")}
          />
          <SelectField
            label={t("agents.voice")}
            choices={voices.map((value) => ({ value, label: value }))}
            {...form.bind("voice")}
          />
        </div>
        <AreaField
          label={t("agents.prompt")}
          hint={t("agents.prompt_hint")}
          placeholder={t("agents.prompt_example")}
          rows={8}
          required
          {...form.bind("prompt")}
        />
      </Card>
      <Card title={t("agents.section.speech")}>
        <AreaField
          label={t("agents.first_message")}
          hint={<DisclosureNote draft={form.values} />}
          rows={2}
          {...form.bind("first_message")}
        />
        <SelectField
          label={t("agents.first_speaker")}
          choices={[
            { value: "assistant", label: t("agents.speaker.assistant") },
            { value: "customer", label: t("agents.speaker.customer") },
          ]}
          {...form.bind("first_speaker")}
        />
        <AreaField
          label={t("agents.filler_phrases")}
          hint={t("agents.filler_hint")}
          rows={3}
          {...form.bind("filler_phrases")}
        />
      </Card>
      <Card title={t("agents.section.limits")}>
        <div className="columns">
          <NumberField
            label={t("agents.max_duration_sec")}
            hint={t("agents.max_duration_hint")}
            {...form.bind("max_duration_sec")}
          />
          <SelectField
            label={t("agents.voicemail_action")}
            choices={[
              { value: "hangup", label: t("agents.voicemail.hangup") },
              { value: "leave_message", label: t("agents.voicemail.leave_message") },
            ]}
            {...form.bind("voicemail_action")}
          />
        </div>
        <SwitchField
          label={t("agents.send_digits_inbound")}
          hint={t("agents.send_digits_inbound_hint")}
          {...form.bind("send_digits_inbound")}
        />
      </Card>
      <Card title={t("agents.section.after")}>
        <SwitchField
          label={t("agents.transcript_email_enabled")}
          hint={t("agents.transcript_email_hint")}
          {...form.bind("transcript_email_enabled")}
        />
        <TextField
          label={t("agents.transcript_email")}
          type="email"
          optional={!form.values.transcript_email_enabled}
          {...form.bind("transcript_email")}
        />
        <TextField
          label={t("agents.webhook_url")}
          hint={t("agents.webhook_hint")}
          type="url"
          optional
          {...form.bind("webhook_url")}
        />
      </Card>
    </>
  );
}
