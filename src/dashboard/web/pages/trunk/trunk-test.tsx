/** Tests the trunk against its server, and shows each result as soon as it arrives. */
import { useState } from "react";
import { answer, jsonLines, LINES, type Own, own } from "../../api/client.ts";
import { checkText } from "../../i18n/problem-text.ts";
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
  const { t } = useText();
  const [test, setTest] = useState<Test | null>(null);
  const doing = useDoing("trunk");
  async function ask() {
    setTest(null);
    const lines = await answer(
      own.POST("/trunk/test", { headers: { accept: LINES }, parseAs: "stream" }),
    );
    for await (const line of jsonLines<Test>(lines)) setTest(line);
  }
  return (
    <Card
      title={t("trunk.test")}
      note={t("trunk.test_lead")}
      actions={
        <Button busy={doing.busy} onClick={() => void doing.run(ask)}>
          {t("trunk.test_run")}
        </Button>
      }
    >
      {(test || doing.busy) && (
        <div className="stack" role="status">
          {test && !doing.busy && (
            <p className="row firm strong">
              <StatusIndicator tone={TONES[test.result]} />
              {t(`trunk.test_${test.result}`)}
            </p>
          )}
          {test && <Checks checks={test.checks} />}
          {doing.busy && (
            <p className="soft">
              {t(test?.pending === "call" ? "trunk.test_calling" : "trunk.test_running")}
            </p>
          )}
          {test && !doing.busy && <Addresses test={test} />}
        </div>
      )}
    </Card>
  );
}

function Checks({ checks }: Pick<Test, "checks">) {
  const texts = useText();
  return (
    <ul className="stack tight">
      {checks.map((check) => {
        const { finding, remedy } = checkText(check, texts);
        return (
          <li key={check.name} className="row firm">
            <StatusIndicator tone={TONES[check.result]} />
            <span className="grow">
              <span className="strong">{texts.t(`trunk.check.${check.name}`)}.</span> {finding}
              {remedy && <span className="muted"> {remedy}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Addresses({ test }: { test: Test }) {
  const { t, ms } = useText();
  return (
    <Facts
      facts={[
        [t("trunk.round_trip"), ms(test.round_trip_ms)],
        [t("trunk.seen_as"), test.seen_as ?? "–"],
        [t("trunk.advertised"), test.advertised_address],
        [t("trunk.codecs"), test.codecs?.join(", ") ?? "–"],
      ]}
    />
  );
}
