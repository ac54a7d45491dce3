/** Asks the far end now, and says in words what came back. */
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { checkText } from "../../i18n/server-messages.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card, Facts, StatusIndicator, type Tone } from "../../ui/page.tsx";

type Test = Own["TrunkTest"];

const TONES: Readonly<Record<Test["checks"][number]["result"], Tone>> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  unknown: "plain",
};

export function TrunkTest() {
  const texts = useText();
  const { t, ms } = texts;
  const [test, setTest] = useState<Test | null>(null);
  const doing = useDoing("trunk");
  return (
    <Card
      title={t("trunk.test")}
      note={t("trunk.test_lead")}
      actions={
        <Button
          busy={doing.busy}
          onClick={() =>
            void doing.run(async () => setTest((await answer(own.POST("/trunk/test"))).test))
          }
        >
          {t("trunk.test_run")}
        </Button>
      }
    >
      {doing.busy && (
        <p className="soft" role="status">
          {t("trunk.test_running")}
        </p>
      )}
      {test && !doing.busy && (
        <div className="stack" role="status">
          <p className="row firm strong">
            <StatusIndicator tone={TONES[test.result]} />
            {t(`trunk.test_${test.result}`)}
          </p>
          <ul className="stack tight">
            {test.checks.map((check) => {
              const { finding, remedy } = checkText(check, texts);
              return (
                <li key={check.name} className="row firm">
                  <StatusIndicator tone={TONES[check.result]} />
                  <span className="grow">
                    <span className="strong">{t(`trunk.check.${check.name}`)}.</span> {finding}
                    {remedy && <span className="muted"> {remedy}</span>}
                  </span>
                </li>
              );
            })}
          </ul>
          <Facts
            facts={[
              [t("trunk.round_trip"), ms(test.round_trip_ms)],
              [t("trunk.seen_as"), test.seen_as ?? "–"],
              [t("trunk.advertised"), test.advertised_address],
              [t("trunk.codecs"), test.codecs?.join(", ") ?? "–"],
            ]}
          />
        </div>
      )}
    </Card>
  );
}
