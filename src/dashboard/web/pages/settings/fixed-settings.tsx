/**
 * Settings in the server's configuration that apply to every company, with their effect. Read-only
 * here.
 */
import { useQuery } from "@tanstack/react-query";
import { applianceQuery, type QueryData } from "../../api/queries.ts";
import { type Texts, useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Card, Facts } from "../../ui/page.tsx";
import { engineTitle, fallbacksOf } from "../agents/engine/engine-note.tsx";

type Appliance = QueryData<typeof applianceQuery>;

interface Fixed {
  readonly label: string;
  readonly effect: readonly string[];
  /** Configuration keys for the operator. */
  readonly keys: string;
}

function mailEffect({ provider, from, outbox_keep_days: days }: Appliance["mail"], { t }: Texts) {
  return provider === "outbox"
    ? t("system_status.mail_files", { count: days })
    : t("settings.fixed.mail_sent", { provider, from });
}

function fixedOf({ engine, mail, warnings }: Appliance, texts: Texts): Fixed[] {
  const { t, eur, number } = texts;
  const balances = warnings.low_balance_eur.map((amount) => eur(amount)).join(", ");
  return [
    {
      label: t("home.system_status.engine"),
      effect: [engineTitle(engine, texts), ...fallbacksOf(engine, texts)],
      keys: "[engine] kind, stt, llm, tts, fallback",
    },
    {
      label: t("home.system_status.mail"),
      effect: [mailEffect(mail, texts)],
      keys: "[mail] provider, from, outbox_keep_days",
    },
    {
      label: t("settings.fixed.balance"),
      effect: [balances ? t("settings.fixed.below", { balances }) : t("settings.fixed.none")],
      keys: "[payments] low_balance_eur",
    },
    {
      label: t("settings.fixed.burst"),
      effect: [
        t("settings.fixed.burst_effect", {
          numbers: number(warnings.new_numbers_per_hour),
          countries: number(warnings.new_countries_per_day),
        }),
      ],
      keys: "[limits] new_numbers_per_hour, new_countries_per_day",
    },
  ];
}

export function FixedSettings() {
  const texts = useText();
  const { operator } = useSession();
  const { data } = useQuery(applianceQuery);
  if (!data) return null;
  const facts = fixedOf(data, texts).map(
    ({ label, effect, keys }) =>
      [
        label,
        <>
          {effect.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {operator && <code className="small muted">{keys}</code>}
        </>,
      ] as const,
  );
  return (
    <Card title={texts.t("settings.fixed")} note={texts.t("settings.fixed_lead")}>
      <Facts facts={facts} />
    </Card>
  );
}
