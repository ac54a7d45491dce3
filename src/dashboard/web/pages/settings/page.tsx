/** The company's settings. */
import { useQuery } from "@tanstack/react-query";
import { answer, own } from "../../api/client.ts";
import { type QueryData, settingsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { AreaField, NumberField, SwitchField, TextField } from "../../ui/field.tsx";
import { type Form, useRecordForm } from "../../ui/form.ts";
import { changesOf } from "../../ui/merge.ts";
import { useStale } from "../../ui/mutate.ts";
import { Card, Page as Frame } from "../../ui/page.tsx";
import { EditForm } from "../../ui/send-form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { FixedSettings } from "./fixed-settings.tsx";

type Settings = QueryData<typeof settingsQuery>;
const FEATURES = ["callback_memory", "named_greeting", "cli_identity", "birthday_calls"] as const;
const LANGUAGES = ["lt", "lv", "en", "ru"] as const;

type Feature = (typeof FEATURES)[number];
type Language = (typeof LANGUAGES)[number];

/** Form values: prefixes as one text, one disclosure per language. */
interface Draft extends Record<Feature, boolean>, Record<`disclosure_${Language}`, string> {
  readonly name: string;
  readonly email: string;
  readonly time_zone: string;
  readonly allowed_prefixes: string;
  readonly short_numbers: string;
  readonly calls_per_minute_max: number | null;
  readonly daily_spend_max_eur: number | null;
  readonly legacy_webhook: boolean;
  readonly requires_second_factor: boolean;
}

const draftOf = ({ features, disclosure, ...settings }: Settings): Draft => ({
  name: settings.name,
  email: settings.email,
  time_zone: settings.time_zone,
  callback_memory: features.callback_memory,
  named_greeting: features.named_greeting,
  cli_identity: features.cli_identity,
  birthday_calls: features.birthday_calls,
  allowed_prefixes: settings.allowed_prefixes?.join(", ") ?? "",
  short_numbers: settings.short_numbers?.join(", ") ?? "",
  calls_per_minute_max: settings.calls_per_minute_max,
  daily_spend_max_eur: settings.daily_spend_max_eur,
  legacy_webhook: settings.legacy_webhook,
  requires_second_factor: settings.requires_second_factor,
  disclosure_lt: disclosure.lt ?? "",
  disclosure_lv: disclosure.lv ?? "",
  disclosure_en: disclosure.en ?? "",
  disclosure_ru: disclosure.ru ?? "",
});

const listOf = (text: string) => {
  const items = text.split(/[\s,;]+/).filter(Boolean);
  return items.length > 0 ? items : null;
};

/** Dialling rules, which only the operator may change. */
const dialingOf = (draft: Draft) => ({
  allowed_prefixes: listOf(draft.allowed_prefixes),
  short_numbers: listOf(draft.short_numbers),
  ...(draft.calls_per_minute_max === null
    ? {}
    : { calls_per_minute_max: draft.calls_per_minute_max }),
  daily_spend_max_eur: draft.daily_spend_max_eur,
});

function bodyOf(draft: Draft, isOperator: boolean) {
  return {
    name: draft.name,
    email: draft.email,
    time_zone: draft.time_zone,
    features: Object.fromEntries(FEATURES.map((name) => [name, draft[name]])),
    ...(isOperator ? dialingOf(draft) : {}),
    legacy_webhook: draft.legacy_webhook,
    requires_second_factor: draft.requires_second_factor,
    disclosure: {
      lt: draft.disclosure_lt || null,
      lv: draft.disclosure_lv || null,
      en: draft.disclosure_en || null,
      ru: draft.disclosure_ru || null,
    },
  };
}

export function Page() {
  const { t } = useText();
  const settings = useQuery(settingsQuery);
  return (
    <Frame forms title={t("nav.settings")} lead={t("settings.lead")}>
      <Loaded query={settings} lines={8}>
        {(data) => <SettingsForm settings={data} />}
      </Loaded>
      <FixedSettings />
    </Frame>
  );
}

function SettingsForm({ settings }: { settings: Settings }) {
  const { t } = useText();
  const { isOwner, operator } = useSession();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useRecordForm(settings, settingsQuery, draftOf, { draft: "settings" });
  return (
    <EditForm
      form={form}
      mayChange={isOwner}
      readOnlyNote={t("settings.owner_only")}
      onSend={async (draft, { before, headers }) => {
        const body = changesOf(bodyOf(before, operator), bodyOf(draft, operator));
        await answer(own.PATCH("/tenant-settings", { body, headers }));
        await stale("settings", "tenant", "session", "home");
        showMessage(t("form.saved"));
      }}
    >
      <Company form={form} />
      <Features form={form} crm={settings.features.crm_bridge} />
      <Dialing form={form} defaultEur={settings.daily_spend_default_eur} readOnly={!operator} />
      <Disclosure form={form} defaults={settings.disclosure_default} />
      <Card title={t("nav.team")}>
        <SwitchField
          label={t("settings.second_factor")}
          hint={t("settings.second_factor_hint")}
          {...form.bind("requires_second_factor")}
        />
      </Card>
      <Card title={t("settings.compatibility")}>
        <SwitchField
          label={t("settings.legacy_webhook")}
          hint={t("settings.legacy_webhook_hint")}
          {...form.bind("legacy_webhook")}
        />
      </Card>
    </EditForm>
  );
}

function Company({ form }: { form: Form<Draft> }) {
  const { t } = useText();
  return (
    <Card title={t("auth.company")}>
      <TextField label={t("form.name")} required {...form.bind("name")} />
      <TextField label={t("settings.email")} type="email" required {...form.bind("email")} />
      <TextField
        label={t("settings.time_zone")}
        hint={t("settings.time_zone_hint")}
        list="time-zones"
        {...form.bind("time_zone")}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </Card>
  );
}

function Features({ form, crm }: { form: Form<Draft>; crm: boolean }) {
  const { t } = useText();
  return (
    <Card title={t("settings.features")}>
      {FEATURES.map((name) => (
        <SwitchField
          key={name}
          label={t(`settings.${name}`)}
          hint={t(`settings.${name}_hint`)}
          {...form.bind(name)}
        />
      ))}
      <SwitchField
        name="crm_bridge"
        label={t("settings.crm_bridge")}
        hint={t("settings.crm_bridge_hint")}
        error={null}
        value={crm}
        disabled
        onValue={() => undefined}
      />
    </Card>
  );
}

/** AI disclosure in each language, spoken before the agent's first words. */
function Disclosure(props: { form: Form<Draft>; defaults: Settings["disclosure_default"] }) {
  const { t } = useText();
  const { form, defaults } = props;
  return (
    <Card title={t("settings.disclosure")} note={t("settings.disclosure_lead")}>
      {LANGUAGES.map((name) => (
        <AreaField
          key={name}
          label={t(`lang.${name}`)}
          placeholder={defaults[name] || t("settings.disclosure_none")}
          rows={1}
          {...form.bind(`disclosure_${name}`)}
        />
      ))}
    </Card>
  );
}

/** Read-only for everybody except the operator. */
function Dialing(props: { form: Form<Draft>; defaultEur: number; readOnly: boolean }) {
  const { t, eur } = useText();
  const { form, readOnly } = props;
  return (
    <Card title={t("settings.dialling")} note={t("settings.dialling_lead")}>
      {readOnly && <p className="note">{t("settings.operator_only")}</p>}
      <TextField
        label={t("settings.allowed_prefixes")}
        hint={t("settings.allowed_prefixes_hint")}
        readOnly={readOnly}
        {...form.bind("allowed_prefixes")}
      />
      <TextField
        label={t("settings.short_numbers")}
        hint={t("settings.short_numbers_hint")}
        readOnly={readOnly}
        {...form.bind("short_numbers")}
      />
      <div className="columns">
        <NumberField
          label={t("settings.calls_per_minute_max")}
          readOnly={readOnly}
          {...form.bind("calls_per_minute_max")}
        />
        <NumberField
          label={t("settings.daily_spend_max_eur")}
          hint={t("settings.daily_spend_hint", { amount: eur(props.defaultEur) })}
          step={0.01}
          readOnly={readOnly}
          {...form.bind("daily_spend_max_eur")}
        />
      </div>
    </Card>
  );
}
