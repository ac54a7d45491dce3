/** Webhook endpoints. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { webhooksQuery } from "../../api/queries.ts";
import { newWebhookChoices } from "../../api/rest-values.gen.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CurlButton, Secret } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Badge, Page as Frame } from "../../ui/page.tsx";
import { EmptyState, Loaded, ProblemNote } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Snippets } from "./snippets.tsx";

const EVENTS = newWebhookChoices.events;
type Event = (typeof EVENTS)[number];

export function Page() {
  const { t, number } = useText();
  const { mayChange } = useSession();
  const webhooks = useQuery(webhooksQuery);
  const [adding, setAdding] = useState(false);
  const add = mayChange && (
    <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
      {t("webhooks.new")}
    </Button>
  );
  return (
    <Frame title={t("nav.webhooks")} lead={t("webhooks.lead")} actions={add}>
      <section className="card">
        <Loaded query={webhooks}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="webhook" title={t("webhooks.empty")} action={add}>
                {t("webhooks.empty_body")}
              </EmptyState>
            ) : (
              <Table
                caption={t("nav.webhooks")}
                rows={rows}
                rowKey={(webhook) => webhook.id}
                linked
                columns={[
                  {
                    head: t("webhooks.url"),
                    cell: (webhook) => (
                      <Link
                        to="/webhooks/$id"
                        params={{ id: String(webhook.id) }}
                        className="cover"
                      >
                        {webhook.url}
                      </Link>
                    ),
                  },
                  {
                    head: t("webhooks.events"),
                    wideOnly: true,
                    cell: (webhook) => (
                      <span className="small soft">{webhook.events.join(", ")}</span>
                    ),
                  },
                  {
                    head: t("webhooks.status"),
                    cell: (webhook) => (
                      <Badge tone={webhook.enabled ? "good" : "bad"}>
                        {t(webhook.enabled ? "webhooks.on" : "webhooks.off")}
                      </Badge>
                    ),
                  },
                  {
                    head: t("webhooks.failed"),
                    end: true,
                    cell: (webhook) => number(webhook.state?.failed ?? 0),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </section>
      <Snippets />
      <AddWebhook open={adding} onOpen={setAdding} />
    </Frame>
  );
}

function AddWebhook(props: { open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useText();
  const stale = useStale();
  const [secret, setSecret] = useState<string | null>(null);
  const empty: { url: string; events: Event[] } = { url: "", events: ["call.ended"] };
  const form = useForm(empty);
  const events = form.bind("events");
  const close = (open: boolean) => {
    props.onOpen(open);
    if (open) return;
    setSecret(null);
    form.reset(empty);
  };
  if (secret)
    return (
      <Dialog title={t("webhooks.created")} open={props.open} onOpen={close}>
        <p className="strong">{t("webhooks.secret")}</p>
        <Secret value={secret} />
      </Dialog>
    );
  return (
    <Dialog title={t("webhooks.new")} open={props.open} onOpen={close}>
      <form
        className="form"
        noValidate
        onSubmit={form.send(async (body) => {
          const made = await answer(rest.POST("/webhooks", { body }));
          await stale("webhooks");
          setSecret(made.signing_secret);
        })}
      >
        <TextField
          label={t("webhooks.url")}
          hint={t("webhooks.url_hint")}
          type="url"
          placeholder="https://example.com/hooks/linevoice"
          required
          {...form.bind("url")}
        />
        <fieldset className="stack tight">
          <legend className="legend">{t("webhooks.events")}</legend>
          {EVENTS.map((event) => (
            <CheckField
              key={event}
              label={<code>{event}</code>}
              value={events.value.includes(event)}
              onValue={(chosen) =>
                events.onValue(
                  EVENTS.filter((one) => (one === event ? chosen : events.value.includes(one))),
                )
              }
            />
          ))}
          {events.error && (
            <p className="error-text" role="alert">
              {events.error}
            </p>
          )}
        </fieldset>
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("action.add")}
          </Button>
          <CurlButton request={() => ({ method: "POST", path: "/webhooks", body: form.values })} />
        </div>
      </form>
    </Dialog>
  );
}
