/** Every field of an agent, for a new agent and for an existing one. */

import { useQuery } from "@tanstack/react-query";
import { disclosingStart } from "../../../../conversation/disclosure/disclosure-words.ts";
import { settingsQuery } from "../../api/queries.ts";
import { newAgentChoices } from "../../api/rest-values.gen.ts";
import { useText } from "../../i18n/text.tsx";
import { AreaField, NumberField, SelectField, SwitchField, TextField } from "../../ui/field.tsx";
import type { Form } from "../../ui/form.ts";
import { Card } from "../../ui/page.tsx";
import type { AgentDraft } from "./agent-draft.ts";
import { useEngineHints } from "./engine/engine-note.tsx";
import { VoicePreview } from "./voice-preview.tsx";

const VOICES: readonly string[] = newAgentChoices.voice;

type AgentForm = Form<AgentDraft>;

export function AgentFields({ form }: { form: AgentForm }) {
  return (
    <>
      <Identity form={form} />
      <Speech form={form} />
      <Limits form={form} />
      <AfterTheCall form={form} />
    </>
  );
}

function Identity({ form }: { form: AgentForm }) {
  const { t } = useText();
  const hints = useEngineHints(form.values);
  const voices = VOICES.includes(form.values.voice) ? VOICES : [...VOICES, form.values.voice];
  return (
    <Card title={t("agents.section.identity")}>
      <TextField
        label={t("form.name")}
        hint={t("agents.name_hint")}
        required
        {...form.bind("name")}
      />
      <div className="columns">
        <SelectField
          label={t("language.label")}
          hint={hints.language}
          choices={newAgentChoices.language.map((value) => ({ value, label: t(`lang.${value}`) }))}
          {...form.bind("language")}
        />
        <div className="row firm low">
          <div className="grow">
            <SelectField
              label={t("agents.voice")}
              hint={hints.voice}
              choices={voices.map((value) => ({ value, label: value }))}
              {...form.bind("voice")}
            />
          </div>
          <VoicePreview language={form.values.language} voice={form.values.voice} />
        </div>
      </div>
      <AreaField
        label={t("agents.prompt")}
        hint={hints.prompt ?? t("agents.prompt_hint")}
        placeholder={t("agents.prompt_example")}
        rows={8}
        required
        {...form.bind("prompt")}
      />
    </Card>
  );
}

function Speech({ form }: { form: AgentForm }) {
  const { t } = useText();
  return (
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
  );
}

function Limits({ form }: { form: AgentForm }) {
  const { t } = useText();
  return (
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
  );
}

function AfterTheCall({ form }: { form: AgentForm }) {
  const { t } = useText();
  return (
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
  );
}

/**
 * Hint about the AI disclosure: whether it comes before, inside or after the agent's first message.
 */
function DisclosureNote({ draft }: { draft: AgentDraft }) {
  const { t } = useText();
  const { data } = useQuery(settingsQuery);
  const { language, first_message: message, first_speaker: speaker } = draft;
  const sentence = data?.disclosure[language] ?? data?.disclosure_default[language] ?? "";
  if (sentence === "") return <>{t("agents.first_message_hint")}</>;
  const isSaid = disclosingStart(message, sentence, language) !== null;
  const note =
    speaker === "customer"
      ? t("agents.disclosure.in_answer", { sentence })
      : isSaid
        ? t("agents.disclosure.said")
        : t("agents.disclosure.before", { sentence });
  return (
    <>
      {t("agents.first_message_hint")} {note}
    </>
  );
}
