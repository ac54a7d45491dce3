/** A/B test of two agent versions: open it, compare them, and close it in favour of either. */
import { useQuery } from "@tanstack/react-query";
import { answer, type Rest, rest } from "../../api/client.ts";
import { agentDraftQuery, agentSplitQuery } from "../../api/queries.ts";
import { type Texts, useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { NumberField, SelectField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { SendForm } from "../../ui/send-form.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type Split = Rest["AgentSplit"];
type Measure = Rest["AgentSplitMeasure"];
type Published = { version: number; notes: readonly { kind: string; name: string }[] };
type Publish = (asked: () => Promise<Published>) => Promise<unknown>;

const PERCENT = 20;

export function VersionSplit(props: {
  agentId: number;
  versions: readonly Rest["AgentVersion"][];
  busy: boolean;
  publish: Publish;
}) {
  const { agentId, versions, busy, publish } = props;
  const { t, dateTime } = useText();
  const { mayChange } = useSession();
  const { data: split = null } = useQuery(agentSplitQuery(agentId));
  const draft = useQuery(agentDraftQuery(agentId)).data?.draft ?? null;
  const isOpen = split?.ended_at === null;
  const others = versions.filter((version) => !version.published).map(({ number }) => number);
  const choices = [...(draft ? ["draft"] : []), ...others.map(String)];
  const isOffered = mayChange && !isOpen && choices.length > 0;
  if (!split && !isOffered) return null;
  const keep = (number: number) =>
    publish(() =>
      answer(
        rest.POST("/agents/{id}/split/close", {
          params: { path: { id: agentId } },
          body: { keep: number },
        }),
      ),
    );
  return (
    <Card title={t("split.title")} note={t("split.lead")}>
      {split && (
        <div className="stack">
          <p>
            {t("split.shared", { percent: split.percent, number: split.version })}{" "}
            {split.ended_at === null
              ? t("split.since", { time: dateTime(split.started_at) })
              : t("split.ended", { time: dateTime(split.ended_at) })}
          </p>
          <Comparison split={split} />
          {isOpen && mayChange && (
            <div className="row wrap">
              {[split.published_version, split.version].map((number) => (
                <Button key={number} busy={busy} onClick={() => void keep(number)}>
                  {t("split.keep", { number })}
                </Button>
              ))}
            </div>
          )}
        </div>
      )}
      {isOffered && <OpenSplit agentId={agentId} choices={choices} key={choices[0]} />}
    </Card>
  );
}

function OpenSplit({ agentId, choices }: { agentId: number; choices: readonly string[] }) {
  const { t } = useText();
  const stale = useStale();
  const initial: { version: string; percent: number | null } = {
    version: choices[0] ?? "",
    percent: PERCENT,
  };
  const form = useForm(initial, { unguarded: true });
  const open = async ({ version, percent }: typeof initial) => {
    const body = {
      version: version === "draft" ? ("draft" as const) : Number(version),
      percent: percent ?? 0,
    };
    await answer(rest.POST("/agents/{id}/split", { params: { path: { id: agentId } }, body }));
    await stale("agents");
  };
  return (
    <SendForm form={form} action={t("split.open")} onSend={open}>
      <SelectField
        label={t("split.version")}
        choices={choices.map((value) => ({
          value,
          label: value === "draft" ? t("versions.draft") : t("versions.number", { number: value }),
        }))}
        {...form.bind("version")}
      />
      <NumberField
        label={t("split.percent")}
        hint={t("split.percent_hint")}
        {...form.bind("percent")}
      />
    </SendForm>
  );
}

function nameOf({ measure, name }: Measure, { t, findText }: Texts): string {
  if (measure !== "result" && measure !== "ended_reason") return t(`split.${measure}`);
  if (name === "message_taken") return t("split.message_taken");
  const found = findText(measure === "result" ? `status.${name}` : `ended.${name}`);
  return found ?? name ?? "";
}

function shownValue({ measure }: Measure, value: number | null, texts: Texts): string {
  if (value === null) return "–";
  if (measure === "cost") return texts.eur(value, 4);
  if (measure === "length_sec") return texts.seconds(value * 1000);
  if (measure === "latency_p50_ms" || measure === "latency_p95_ms") return texts.ms(value);
  return texts.percent(value);
}

/** The difference between the versions, or a note that it is not significant yet. */
function Difference({ measure, number }: { measure: Measure; number: number }) {
  const texts = useText();
  const { t } = texts;
  const { noise, difference } = measure;
  if (noise || difference.value === null)
    return <span className="muted small">{t("split.noise")}</span>;
  const by = shownValue(measure, Math.abs(difference.value), texts);
  return (
    <Badge tone="info">
      {t(difference.value > 0 ? "split.more" : "split.less", { by, number })}
    </Badge>
  );
}

/** A figure and its 95 % confidence interval. */
function Estimate({ measure, of }: { measure: Measure; of: "published" | "tried" }) {
  const texts = useText();
  const { value, low, high } = measure[of];
  const [figure, from, to] = [value, low, high].map((one) => shownValue(measure, one, texts));
  return (
    <span className="nums">
      {figure} {low !== null && <small className="muted">{`${from} – ${to}`}</small>}
    </span>
  );
}

function Comparison({ split }: { split: Split }) {
  const texts = useText();
  const { t, count } = texts;
  const numbers = { published: split.published_version, tried: split.version };
  const version = (of: "published" | "tried"): Column<Measure> => ({
    head: t("versions.number", { number: numbers[of] }),
    cell: (measure) => <Estimate measure={measure} of={of} />,
    card: "labelled",
  });
  const columns: readonly Column<Measure>[] = [
    { head: t("split.measure"), cell: (measure) => nameOf(measure, texts) },
    ...(["published", "tried"] as const).map(version),
    {
      head: t("split.difference"),
      cell: (measure) => <Difference measure={measure} number={split.version} />,
      card: "block",
    },
  ];
  return (
    <>
      <p className="soft">
        {columns[1]?.head}: {count("split.calls", split.calls.published)} · {columns[2]?.head}:{" "}
        {count("split.calls", split.calls.tried)}
      </p>
      {split.measures.every(({ noise }) => noise) && <p className="note">{t("split.all_noise")}</p>}
      <div className="compared">
        <Table
          caption={t("split.title")}
          columns={columns}
          rows={split.measures.filter(
            ({ published, tried }) => published.value !== null || tried.value !== null,
          )}
          rowKey={({ measure, name }) => `${measure} ${name}`}
        />
      </div>
    </>
  );
}
