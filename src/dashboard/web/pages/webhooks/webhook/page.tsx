/** One endpoint: health, deliveries, test, secret rotation, re-enabling. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, own, rest } from "../../../api/client.ts";
import { type QueryData, webhooksQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { NotFound } from "../../../shell/route-states.tsx";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Secret } from "../../../ui/copy.tsx";
import { Confirm, Dialog } from "../../../ui/dialog.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { useDoing } from "../../../ui/mutate.ts";
import { Badge, Figures, Page as Frame } from "../../../ui/page.tsx";
import { Loaded } from "../../../ui/states.tsx";
import { useToasts } from "../../../ui/toast.tsx";
import { DeliveryLog } from "../delivery-log.tsx";

type Webhook = QueryData<typeof webhooksQuery>[number];

export function Page() {
  const { t } = useText();
  const params: { id?: string } = useParams({ strict: false });
  const webhooks = useQuery(webhooksQuery);
  const { mayChange } = useSession();
  const webhook = webhooks.data?.find(({ id }) => String(id) === params.id);
  if (webhooks.data && !webhook) return <NotFound />;
  return (
    <Frame
      title={webhook ? new URL(webhook.url).host : t("webhooks.endpoint")}
      lead={webhook?.url}
      back={{ to: "/webhooks", label: t("nav.webhooks") }}
      actions={mayChange && webhook && <Actions webhook={webhook} />}
    >
      <Loaded query={webhooks}>
        {() =>
          webhook && (
            <>
              <EndpointHealth webhook={webhook} />
              <DeliveryLog webhookId={webhook.id} />
            </>
          )
        }
      </Loaded>
    </Frame>
  );
}

function EndpointHealth({ webhook }: { webhook: Webhook }) {
  const { t, number, dateTime } = useText();
  const { state } = webhook;
  return (
    <>
      {state?.disabled_reason && <p className="note bad">{state.disabled_reason}</p>}
      {state?.failing_since && (
        <p className="note warn">
          {t("webhooks.failing", { when: dateTime(state.failing_since) })}
        </p>
      )}
      <Figures
        figures={[
          {
            label: t("calls.status"),
            value: (
              <Badge tone={webhook.enabled ? "good" : "bad"}>
                {t(webhook.enabled ? "webhooks.on" : "webhooks.off")}
              </Badge>
            ),
          },
          { label: t("webhooks.pending"), value: number(state?.pending ?? 0) },
          { label: t("webhooks.failed"), value: number(state?.failed ?? 0) },
          {
            label: t("webhooks.events"),
            value: <small className="mono">{webhook.events.join(", ")}</small>,
          },
        ]}
      />
    </>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const { t, ms } = useText();
  const doing = useDoing("webhooks");
  const { showMessage, showError } = useToasts();
  const params = { path: { id: webhook.id } };

  async function test() {
    const { delivery } = await answer(rest.POST("/webhooks/{id}/test", { params }));
    const status = delivery.http_status ?? "";
    if (delivery.status === "delivered")
      showMessage(t("webhooks.test_ok", { status, ms: ms(delivery.duration_ms) }));
    else showError(new Error(t("webhooks.test_failed", { why: delivery.error ?? String(status) })));
  }

  return (
    <>
      {!webhook.enabled && (
        <Button
          variant="primary"
          onClick={() =>
            void doing.run(
              () => answer(own.POST("/webhooks/{id}/enable", { params })),
              t("webhooks.enabled"),
            )
          }
        >
          {t("webhooks.enable")}
        </Button>
      )}
      <Button busy={doing.busy} onClick={() => void doing.run(test)}>
        {t("webhooks.test")}
      </Button>
      <MoreActions webhook={webhook} />
    </>
  );
}

/** Actions: resend failed deliveries, rotate the secret, delete. */
function MoreActions({ webhook }: { webhook: Webhook }) {
  const { t, count } = useText();
  const navigate = useNavigate();
  const doing = useDoing("webhooks");
  const { showMessage } = useToasts();
  const [asking, setAsking] = useState<"rotate" | "delete" | null>(null);
  const params = { path: { id: webhook.id } };

  async function resend() {
    const { queued } = await answer(own.POST("/webhooks/{id}/resend-failed", { params }));
    showMessage(count("webhooks.resent", queued));
  }

  async function remove() {
    await answer(rest.DELETE("/webhooks/{id}", { params }));
    await navigate({ to: "/webhooks" });
    await doing.run(async () => undefined);
  }

  return (
    <>
      <Menu
        trigger={<IconButton icon="more" label={t("action.more")} small={false} />}
        entries={[
          {
            label: t("webhooks.resend_failed"),
            disabled: (webhook.state?.failed ?? 0) === 0,
            onChoose: () => void doing.run(resend),
          },
          { label: t("webhooks.rotate"), onChoose: () => setAsking("rotate") },
          null,
          { label: t("action.delete"), danger: true, onChoose: () => setAsking("delete") },
        ]}
      />
      <Rotation webhookId={webhook.id} open={asking === "rotate"} onClose={() => setAsking(null)} />
      <Confirm
        title={t("webhooks.delete_title")}
        body={t("webhooks.delete_body")}
        action={t("action.delete")}
        open={asking === "delete"}
        onOpen={() => setAsking(null)}
        onConfirm={remove}
      />
    </>
  );
}

/** Rotates the signing secret after confirmation, then shows the new one once. */
function Rotation(props: { webhookId: number; open: boolean; onClose: () => void }) {
  const { t } = useText();
  const [secret, setSecret] = useState<string | null>(null);

  async function rotate() {
    const params = { path: { id: props.webhookId } };
    const made = await answer(rest.POST("/webhooks/{id}/rotate-secret", { params }));
    setSecret(made.signing_secret);
  }

  return (
    <>
      <Confirm
        title={t("webhooks.rotate_title")}
        body={t("webhooks.rotate_body")}
        action={t("webhooks.rotate")}
        open={props.open}
        onOpen={props.onClose}
        onConfirm={rotate}
      />
      <Dialog title={t("webhooks.secret")} open={secret !== null} onOpen={() => setSecret(null)}>
        <Secret value={secret ?? ""} />
      </Dialog>
    </>
  );
}
