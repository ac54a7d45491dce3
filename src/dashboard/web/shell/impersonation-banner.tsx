/**
 * Impersonation banner: the company for which an operator acts, until when, and a button to stop.
 */
import { useEffect } from "react";
import { systemClock } from "../../../core/clock.ts";
import { answer, own } from "../api/client.ts";
import { useText } from "../i18n/text.tsx";
import { useSession } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useDoing } from "../ui/mutate.ts";

const OPERATOR_PAGE = "/app/operator";

export function ImpersonationBanner() {
  const { t, dateTime } = useText();
  const { tenant, acting_until: until } = useSession();
  const doing = useDoing();
  useEffect(() => {
    if (until === null) return;
    const leftMs = Date.parse(until) - systemClock.now();
    const timer = systemClock.after(Math.max(0, leftMs), () => location.assign(OPERATOR_PAGE));
    return () => timer.cancel();
  }, [until]);
  if (until === null || !tenant) return null;
  const stop = async () => {
    await answer(own.DELETE("/active-tenant"));
    location.assign(OPERATOR_PAGE);
  };
  return (
    <div className="acting-bar" role="status">
      <Icon name="warning" />
      <p className="grow">{t("acting.bar", { name: tenant.name, time: dateTime(until) })}</p>
      <Button small busy={doing.busy} onClick={() => void doing.run(stop)}>
        {t("acting.stop")}
      </Button>
    </div>
  );
}
