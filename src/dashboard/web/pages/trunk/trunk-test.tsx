/**
 * Tests the trunk against its server, by itself after the account was saved, and shows each result
 * as soon as it arrives.
 */
import { useEffect, useRef, useState } from "react";
import { answer, jsonLines, NDJSON, type Own, own } from "../../api/client.ts";
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

/** `account`: identifies the stored account; a result of another one is not shown. */
export function TrunkTest({ account, isSaved }: { account: string; isSaved: boolean }) {
  const { t } = useText();
  const [last, setLast] = useState<{ account: string; test: Test } | null>(null);
  const test = last?.account === account ? last.test : null;
  const place = useRef<HTMLDivElement>(null);
  const doing = useDoing("trunk");
  async function ask() {
    setLast(null);
    const lines = await answer(
      own.POST("/trunk/test", { headers: { accept: NDJSON }, parseAs: "stream" }),
    );
    for await (const line of jsonLines<Test>(lines)) setLast({ account, test: line });
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time the account is saved
  useEffect(() => {
    if (!isSaved) return;
    place.current?.scrollIntoView({ block: "nearest" });
    void doing.run(ask);
  }, []);
  return (
    <div ref={place}>
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
    </div>
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
