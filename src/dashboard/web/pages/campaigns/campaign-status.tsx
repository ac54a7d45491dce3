/** Status of a campaign, and the possible actions. */
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, type Tone } from "../../ui/page.tsx";

type Campaign = Rest["Campaign"];
type Action = "start" | "pause" | "resume" | "cancel";

const TONES: Readonly<Record<Campaign["status"], Tone>> = {
  draft: "plain",
  running: "good",
  paused: "warn",
  stopped_by_breaker: "bad",
  finished: "info",
  cancelled: "plain",
};
const ACTIONS: Readonly<Record<Campaign["status"], readonly Action[]>> = {
  draft: ["start", "cancel"],
  running: ["pause", "cancel"],
  paused: ["resume", "cancel"],
  stopped_by_breaker: ["resume", "cancel"],
  finished: [],
  cancelled: [],
};

export function CampaignStatus({ campaign }: { campaign: Campaign }) {
  const { t } = useText();
  const { status, status_reason } = campaign;
  return (
    <>
      <Badge tone={TONES[status]}>{t(`campaigns.status.${status}`)}</Badge>
      {status_reason !== null && status_reason !== "calls_failed" && (
        <span className="small muted"> {t(`campaigns.${status_reason}`)}</span>
      )}
    </>
  );
}

export function CampaignButtons({ campaign, small }: { campaign: Campaign; small?: boolean }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const doing = useDoing("campaigns");
  const [cancelling, setCancelling] = useState(false);
  const act = (action: Action) =>
    doing.run(() =>
      answer(
        rest.POST("/campaigns/{id}/action", {
          params: { path: { id: campaign.id } },
          body: { action },
        }),
      ),
    );
  if (!mayChange) return <span className="row" />;
  return (
    <span className="row">
      {ACTIONS[campaign.status].map((action) => (
        <Button
          key={action}
          small={small}
          variant={action === "cancel" ? "danger" : "secondary"}
          onClick={() => (action === "cancel" ? setCancelling(true) : void act(action))}
        >
          {t(`campaigns.action.${action}`)}
        </Button>
      ))}
      <Confirm
        title={t("campaigns.cancel_title", { name: campaign.name })}
        body={t("campaigns.cancel_body")}
        action={t("campaigns.action.cancel")}
        cancel={t("campaigns.keep")}
        open={cancelling}
        onOpen={setCancelling}
        onConfirm={() => act("cancel")}
      />
    </span>
  );
}
