/** Live calls with their transcript as people speak; listen, transfer, hang up. */
import { useText } from "../../i18n/text.tsx";
import { useLive } from "../../live/live.tsx";
import { Page as Frame, StatusIndicator } from "../../ui/page.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { LiveCallCard } from "./live-call-card.tsx";

export function Page() {
  const { t } = useText();
  const { calls, turns, state, lostSince } = useLive();
  return (
    <Frame
      title={t("nav.live")}
      lead={t("live.lead")}
      actions={
        <span className="row small soft" role="status">
          <StatusIndicator tone={state === "open" ? "good" : "warn"} live={state === "open"} />
          {t(
            state === "open"
              ? "live.connected"
              : lostSince === null
                ? "live.connecting"
                : "live.closed",
          )}
        </span>
      }
    >
      {calls.length === 0 && lostSince !== null ? (
        <div className="card">
          <EmptyState icon="warning" title={t("live.unknown")} />
        </div>
      ) : calls.length === 0 && state !== "open" ? (
        <Skeleton />
      ) : calls.length === 0 ? (
        <div className="card">
          <EmptyState icon="live" title={t("live.empty")}>
            {t("live.empty_body")}
          </EmptyState>
        </div>
      ) : (
        <div className="columns wide">
          {calls.map((call) => (
            <LiveCallCard
              key={call.call_uuid}
              call={call}
              turns={turns.get(call.call_uuid) ?? []}
            />
          ))}
        </div>
      )}
    </Frame>
  );
}
