/** Validates keys that depend on each other. */
import { eurToMicro, MICRO_PER_CENT } from "../../core/money.ts";
import { engineProblems } from "./engine-consistency.ts";
import type { Config } from "./schema.ts";

interface Inconsistency {
  readonly path: readonly string[];
  readonly message: string;
}

export function consistencyProblems(config: Config): Inconsistency[] {
  const { server, engine, mail, payments, plans, conversation } = config;
  const found: Inconsistency[] = [];
  const need = (broken: boolean, path: string, message: string) => {
    if (broken) found.push({ path: path.split("."), message });
  };
  need(
    (server.tls_cert === null) !== (server.tls_key === null),
    server.tls_cert === null ? "server.tls_key" : "server.tls_cert",
    "[server] tls_cert and tls_key: set both or neither.",
  );
  const { tls_bind, tls_cert, tls_key } = config.sip;
  need(
    (tls_cert === null) !== (tls_key === null) || (tls_bind !== null && tls_cert === null),
    tls_cert === null ? "sip.tls_cert" : "sip.tls_key",
    "[sip] tls_bind needs both tls_cert and tls_key.",
  );
  for (const [path, says] of engineProblems(engine)) need(true, path, says);
  need(
    mail.provider === "smtp" && mail.smtp.host === null,
    "mail.provider",
    '[mail] provider "smtp" needs [mail.smtp] host.',
  );
  need(
    mail.provider === "resend" && mail.resend.api_key === null,
    "mail.provider",
    '[mail] provider "resend" needs [mail.resend] api_key.',
  );
  need(
    payments.provider === "stripe" &&
      (payments.stripe.secret_key === null || payments.stripe.webhook_secret === null),
    "payments.provider",
    '[payments] provider "stripe" needs [payments.stripe] secret_key and webhook_secret.',
  );
  if (payments.provider === "stripe")
    for (const { slug, price_eur_per_month: price } of plans)
      need(
        eurToMicro(price) % MICRO_PER_CENT !== 0,
        "plans",
        `[[plans]] price_eur_per_month: plan ${slug}: Stripe takes whole cents, not ${price}.`,
      );
  const slugs = plans.map((plan) => plan.slug);
  const twice = slugs.findIndex((slug, index) => slugs.indexOf(slug) !== index);
  if (twice >= 0)
    found.push({
      path: ["plans"],
      message: `[[plans]] slug: two plans have the slug ${slugs[twice]}.`,
    });
  need(
    conversation.idle_prompts > 0 && conversation.silence_timeout_ms <= conversation.idle_prompt_ms,
    "conversation.silence_timeout_ms",
    "[conversation] silence_timeout_ms: must be above idle_prompt_ms.",
  );
  return found;
}
