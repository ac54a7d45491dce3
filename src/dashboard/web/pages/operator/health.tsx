/** The doctor's checks. */
import { useQuery } from "@tanstack/react-query";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Lamp, type Tone } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { healthQuery } from "./operator-queries.ts";

const TONES: Readonly<Record<"ok" | "warning" | "failed" | "skipped", Tone>> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  skipped: "plain",
};

export function Health() {
  const { t } = useText();
  const health = useQuery(healthQuery);
  return (
    <Card
      title={t("operator.tab.health")}
      actions={
        <Button busy={health.isFetching} onClick={() => void health.refetch()}>
          {t("operator.check_again")}
        </Button>
      }
      flush
    >
      <Loaded query={health} lines={8}>
        {(data) => (
          <ul className="list">
            <li>
              <Lamp tone={TONES[data.verdict]} />
              <p className="strong">{t(`operator.health_${data.verdict}`)}</p>
            </li>
            {data.checks.map((check) => (
              <li key={check.number}>
                <Lamp tone={TONES[check.verdict]} />
                <div className="grow">
                  <p>
                    <span className="strong">
                      {check.number}. {check.name}
                    </span>{" "}
                    <span className="soft">{check.finding}</span>
                  </p>
                  {check.mend && <p className="small muted">{check.mend}</p>}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
