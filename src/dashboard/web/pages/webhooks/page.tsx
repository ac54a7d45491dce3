/** Webhook endpoints. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { type QueryData, webhooksQuery } from "../../api/queries.ts";
import { newWebhookChoices } from "../../api/rest-values.gen.ts";
import { useText } from "../../i18n/text.tsx";
import { Secret } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckGroup, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { ListPage } from "../../ui/list-page.tsx";
import { useStale } from "../../ui/mutate.ts";
import { Badge } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { Table } from "../../ui/table.tsx";
import { Snippets } from "./snippets.tsx";

const EVENTS = newWebhookChoices.events;
type Event = (typeof EVENTS)[number];

export function Page() {
  const query = useQuery(webhooksQuery);
  return (
    <ListPage
      name="webhooks"
      icon="webhook"
      query={query}
      make={(close) => <AddWebhook onClose={close} />}
      rows={(rows) => <WebhookTable rows={rows} />}
    >
      <Snippets />
    </ListPage>
  );
}

function WebhookTable({ rows }: { rows: readonly QueryData<typeof webhooksQuery>[number][] }) {
  const { t, number } = useText();
  return (
    <Table
      caption={t("nav.webhooks")}
      rows={rows}
      rowKey={(webhook) => webhook.id}
      linked
      columns={[
        {
          head: t("webhooks.url"),
          cell: (webhook) => (
            <Link to="/webhooks/$id" params={{ id: String(webhook.id) }} className="cover">
              {webhook.url}
            </Link>
          ),
        },
        {
          head: t("webhooks.events"),
          cell: (webhook) => <span className="small soft">{webhook.events.join(", ")}</span>,
        },
        {
          head: t("calls.status"),
          card: "side",
          cell: (webhook) => (
            <Badge tone={webhook.enabled ? "good" : "bad"}>
              {t(webhook.enabled ? "webhooks.on" : "webhooks.off")}
            </Badge>
          ),
        },
        {
          head: t("webhooks.failed"),
          card: "labelled",
          end: true,
          cell: (webhook) => number(webhook.state?.failed ?? 0),
        },
      ]}
    />
  );
}

function AddWebhook({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const [secret, setSecret] = useState<string | null>(null);
  const empty: { url: string; events: Event[] } = { url: "", events: ["call.ended"] };
  const form = useForm(empty);
  if (secret)
    return (
      <Dialog title={t("webhooks.created")} open onOpen={onClose}>
        <p className="strong">{t("webhooks.secret")}</p>
        <Secret value={secret} />
      </Dialog>
    );
  return (
    <FormDialog
      title={t("webhooks.new")}
      action={t("action.add")}
      form={form}
      curl={(body) => ({ method: "POST", path: "/webhooks", body })}
      onClose={onClose}
      onSend={async (body) => {
        const made = await answer(rest.POST("/webhooks", { body }));
        await stale("webhooks");
        setSecret(made.signing_secret);
      }}
    >
      <TextField
        label={t("webhooks.url")}
        hint={t("webhooks.url_hint")}
        type="url"
        placeholder="https://example.com/hooks/linevoice"
        required
        {...form.bind("url")}
      />
      <CheckGroup
        label={t("webhooks.events")}
        choices={EVENTS.map((event) => ({ value: event, label: <code>{event}</code> }))}
        {...form.bind("events")}
      />
    </FormDialog>
  );
}
