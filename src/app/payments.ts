/** Checkouts with the configured payment provider. */

import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { billingStores } from "../features/billing/billing-stores.ts";
import { Checkouts } from "../features/billing/checkout.ts";
import type { PaymentProvider } from "../features/billing/payment-provider.ts";
import { manualPayments } from "../features/billing/payments/manual.ts";
import {
  type EventStatus,
  StripeEvents,
  StripeProvider,
  stripeClient,
} from "../features/billing/payments/stripe.ts";
import type { AppSettings } from "./settings.ts";

export interface Payments {
  readonly checkouts: Checkouts;
  /** null: bank transfers, which send no events. */
  readonly stripeEvents: ((body: string, signature: string | null) => Promise<EventStatus>) | null;
}

interface PaymentsDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The appliance's URL without a trailing slash. Available after the server listens. */
  readonly publicUrl: () => string;
}

export function createPayments(
  settings: Pick<AppSettings, "plans" | "stripe"> & {
    readonly storage: Pick<AppSettings["storage"], "transcriptsRetentionDays">;
  },
  deps: PaymentsDependencies,
): Payments {
  const { database, clock, random, log, publicUrl } = deps;
  const checkoutsWith = (provider: PaymentProvider) =>
    new Checkouts({
      database,
      stores: billingStores,
      plans: settings.plans,
      clock,
      random,
      provider,
      transcriptsDays: settings.storage.transcriptsRetentionDays,
    });
  if (!settings.stripe)
    return { checkouts: checkoutsWith(manualPayments(publicUrl)), stripeEvents: null };
  const client = stripeClient(settings.stripe);
  const checkouts = checkoutsWith(new StripeProvider({ client, publicUrl, log }));
  const events = new StripeEvents({
    client,
    checkouts,
    database,
    stores: billingStores,
    clock,
    log,
    webhookSecret: settings.stripe.webhookSecret,
  });
  return { checkouts, stripeEvents: (body, signature) => events.receive(body, signature) };
}
