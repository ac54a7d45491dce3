/** The CRM bridge: its URL, field mapping, test, and log of requests. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { numberTyped } from "../../api/number.ts";
import type { QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, TextField } from "../../ui/field.tsx";
import { useForm, useRecordForm } from "../../ui/form.ts";
import { changesOf } from "../../ui/merge.ts";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { SendForm } from "../../ui/send-form.tsx";
import { EmptyState, Loaded, LoadedRows } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { type FeatureSettings, featureSettingsQuery, useSaveFeatures } from "./feature-settings.ts";

const TONES = { pending: "warn", delivered: "good", failed: "bad" } as const;

const messagesQuery = queryOptions({
  queryKey: ["crm-messages"],
  queryFn: async () => (await answer(rest.GET("/crm-messages"))).crm_messages,
});

export function Crm() {
  const settings = useQuery(featureSettingsQuery);
  const { mayChange } = useSession();
  return (
    <div className="stack">
      <Loaded query={settings}>{(known) => <Target known={known} />}</Loaded>
      {mayChange && <Trial />}
      <Messages />
    </div>
  );
}

/** One line per field: `ours = theirs`. */
const textOf = (mapping: Readonly<Record<string, string>>) =>
  Object.entries(mapping)
    .map(([ours, theirs]) => `${ours} = ${theirs}`)
    .join("\n");

function mappingOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

const originOf = (url: string | null) =>
  url !== null && URL.canParse(url) ? new URL(url).origin : null;

/**
 * The stored secret is kept only for the same server (the API checks this). For another server an
 * empty field means no secret.
 */
const keepsSecret = (url: string, known: FeatureSettings): boolean =>
  known.has_crm_secret && (url === "" || originOf(url) === originOf(known.crm_url));

function secretOf(values: { crm_url: string; crm_secret: string }, known: FeatureSettings) {
  if (values.crm_secret) return { crm_secret: values.crm_secret };
  return keepsSecret(values.crm_url, known) ? {} : { crm_secret: null };
}

const draftOf = (known: FeatureSettings) => ({
  crm_url: known.crm_url ?? "",
  crm_secret: "",
  crm_mapping: textOf(known.crm_mapping),
});

const bodyOf = ({ crm_url, crm_mapping }: ReturnType<typeof draftOf>) => ({
  crm_url: crm_url || null,
  crm_mapping: mappingOf(crm_mapping),
});

function Target({ known }: { known: FeatureSettings }) {
  const { t } = useText();
  const { isOwner } = useSession();
  const save = useSaveFeatures();
  const form = useRecordForm(known, featureSettingsQuery, draftOf);
  return (
    <Card title={t("features.tab.crm")} note={t("features.crm_lead")}>
      <SendForm
        form={form}
        action={isOwner ? t("action.save") : null}
        onSend={(draft, { before, headers }) =>
          save({ ...changesOf(bodyOf(before), bodyOf(draft)), ...secretOf(draft, known) }, headers)
        }
      >
        <TextField label={t("features.crm_url")} type="url" {...form.bind("crm_url")} />
        <TextField
          label={t("features.crm_secret")}
          hint={t(
            keepsSecret(form.values.crm_url, known)
              ? "features.crm_secret_kept"
              : "features.crm_secret_hint",
          )}
          type="password"
          autoComplete="off"
          optional
          {...form.bind("crm_secret")}
        />
        <AreaField
          label={t("features.crm_mapping")}
          hint={t("features.crm_mapping_hint")}
          placeholder={"name = contact.full_name\nsummary = activity.text"}
          code
          optional
          rows={4}
          {...form.bind("crm_mapping")}
        />
      </SendForm>
    </Card>
  );
}

function Trial() {
  const { t } = useText();
  const form = useForm({ number: "" }, { unguarded: true });
  const [shown, setShown] = useState<string | null>(null);
  return (
    <Card title={t("features.crm_try")} note={t("features.crm_try_lead")}>
      <SendForm
        form={form}
        action={t("features.crm_try")}
        variant="secondary"
        onSend={async ({ number }) => {
          setShown(null);
          const body = { number: await numberTyped(number) };
          const { facts, outcome } = await answer(rest.POST("/crm/test", { body }));
          setShown([...facts, JSON.stringify(outcome, null, 2)].join("\n\n"));
        }}
      >
        <TextField label={t("numbers.number")} type="tel" required {...form.bind("number")} />
        {shown !== null && (
          <pre className="code" role="status">
            {shown}
          </pre>
        )}
      </SendForm>
    </Card>
  );
}

function Messages() {
  const { t } = useText();
  const messages = useQuery(messagesQuery);
  return (
    <Card title={t("features.crm_messages")} flush>
      <LoadedRows
        query={messages}
        empty={<EmptyState icon="webhook" title={t("features.crm_empty")} />}
      >
        {(rows) => <MessageTable rows={rows} />}
      </LoadedRows>
    </Card>
  );
}

function MessageTable({ rows }: { rows: readonly QueryData<typeof messagesQuery>[number][] }) {
  const { t, dateTime } = useText();
  const { mayChange } = useSession();
  const doing = useDoing("crm-messages");
  const replay = (id: number) =>
    void doing.run(() =>
      answer(rest.POST("/crm-messages/{id}/replay", { params: { path: { id } } })),
    );
  return (
    <Table
      caption={t("features.crm_messages")}
      rows={rows}
      rowKey={(message) => message.id}
      columns={[
        { head: t("calls.when"), cell: (message) => dateTime(message.created_at) },
        {
          head: t("calls.status"),
          card: "side",
          cell: ({ status, error }) => (
            <span title={error ?? undefined}>
              <Badge tone={TONES[status]}>{t(`features.crm_status.${status}`)}</Badge>
            </span>
          ),
        },
        { head: t("features.tries"), card: "labelled", cell: (message) => message.attempts },
        mayChange && {
          head: t("table.actions"),
          card: "action",
          end: true,
          cell: ({ id, status }) =>
            status !== "pending" && (
              <Button small onClick={() => replay(id)}>
                {t("features.replay")}
              </Button>
            ),
        },
      ]}
    />
  );
}
