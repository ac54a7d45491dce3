/** Status of a campaign, and the possible actions. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { analyticsQuery, homeQuery, plansQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Facts, type Tone } from "../../ui/page.tsx";

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
  const [starting, setStarting] = useState(false);
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
          onClick={() => {
            if (action === "cancel") setCancelling(true);
            else if (action === "start") setStarting(true);
            else void act(action);
          }}
        >
          {t(`campaigns.action.${action}`)}
        </Button>
      ))}
      <Confirm
        title={t("campaigns.start_title", { name: campaign.name })}
        body={t("campaigns.start_body")}
        action={t("campaigns.action.start")}
        variant="primary"
        open={starting}
        onOpen={setStarting}
        onConfirm={() => act("start")}
      >
        <StartFacts campaign={campaign} />
      </Confirm>
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

const DAYS = 30;
/** Used while there are no answered calls to estimate by. */
const CALL_MINUTES = 2;

/** What starting the campaign means: how many people, when, and about how much. */
function StartFacts({ campaign }: { campaign: Campaign }) {
  const { t, number, eur } = useText();
  const analytics = useQuery(analyticsQuery(DAYS));
  const plans = useQuery(plansQuery);
  const home = useQuery(homeQuery);
  const numbers = campaign.targets.waiting;
  const seconds = analytics.data?.average_duration_sec ?? CALL_MINUTES * 60;
  const minutes = Math.ceil((numbers * seconds) / 60);
  const price = plans.data?.find(({ current }) => current)?.overage_eur_per_min;
  const left = home.data?.money.included_minutes_left ?? 0;
  return (
    <Facts
      facts={[
        [t("campaigns.start_numbers"), number(numbers)],
        [t("campaigns.hours"), `${campaign.calling_from}–${campaign.calling_to}`],
        [t("campaigns.attempts"), number(campaign.attempts)],
        [t("campaigns.start_minutes"), number(minutes)],
        [
          t("campaigns.start_cost"),
          price === undefined || !home.data ? "–" : eur(Math.max(0, minutes - left) * price),
        ],
      ]}
    />
  );
}
