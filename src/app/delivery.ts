/** Builds outgoing HTTP and mail: events, tools, post-call mail. */

import type { Clock, ClockTrust } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { MailQueue } from "../features/mail/mail-queue.ts";
import { mailStore } from "../features/mail/mail-store.ts";
import { createMailTest, type MailTest } from "../features/mail/mail-test.ts";
import type { MailProvider } from "../features/mail/provider.ts";
import { outboxProvider } from "../features/mail/providers/outbox.ts";
import { resendProvider } from "../features/mail/providers/resend.ts";
import { smtpProvider } from "../features/mail/providers/smtp.ts";
import { createArgumentCheck } from "../features/tool/argument-check.ts";
import type { ToolRunner } from "../features/tool/ports.ts";
import { HttpToolRunner } from "../features/tool/run-tool.ts";
import { toolTargetStore } from "../features/tool/tool-target-store.ts";
import { DeliveryWorker } from "../features/webhook/delivery.ts";
import type { EventSink } from "../features/webhook/ports.ts";
import { createEventSink } from "../features/webhook/sink.ts";
import { mailWhenSwitchedOff } from "../features/webhook/switched-off.ts";
import { WebhookTester } from "../features/webhook/tester.ts";
import { webhookStores } from "../features/webhook/webhook-stores.ts";
import { type OutboundHttpClient, SafeHttpClient } from "../platform/net/outbound-http.ts";
import { spawnSchemaWorker } from "../workers.ts";
import type { AppSettings } from "./settings.ts";
import type { MailProviderSettings } from "./settings-from-config.ts";

export interface Delivery {
  readonly events: EventSink;
  readonly tester: WebhookTester;
  readonly mails: Pick<MailQueue, "enqueue" | "wake" | "onSent">;
  readonly tools: ToolRunner;
  /** Sends requests to the tenants' URLs. */
  readonly client: OutboundHttpClient;
  /** Sends a test mail immediately, for the operator. */
  readonly mailTest: MailTest;
  /** Starts delivery. Call it after all listeners are registered. */
  start(): void;
  stop(): Promise<void>;
}

interface DeliveryDependencies {
  readonly database: Database;
  readonly vault: { open(sealed: string, binding: string): string };
  readonly recordingsDir: string;
  readonly outboxDir: string;
  /** A signed link that is valid while the recording exists. */
  readonly recordingLink: (callUuid: string) => string | null;
  /** Name of this node among the nodes that share the store. */
  readonly node?: string | null;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly random: Random;
  readonly log: Log;
  /** Called after every webhook attempt. */
  readonly attempted?: (attempt: { readonly delivered: boolean }) => void;
}

function providerOf(settings: MailProviderSettings, outboxDir: string): MailProvider {
  if (settings.kind === "smtp") return smtpProvider(settings);
  if (settings.kind === "resend") return resendProvider(settings);
  return outboxProvider(outboxDir);
}

function mailsOf(
  { attachmentBytesMax, from }: AppSettings["mail"],
  provider: MailProvider,
  deps: DeliveryDependencies,
): MailQueue {
  const { database, recordingsDir, recordingLink, node, clock, random, log } = deps;
  return new MailQueue({
    database,
    stores: mailStore,
    provider,
    recordingsDir,
    attachmentBytesMax,
    recordingLink,
    from,
    node,
    clock,
    random,
    log,
  });
}

export function createDelivery(
  settings: Pick<AppSettings, "httpClient" | "mail">,
  deps: DeliveryDependencies,
): Delivery {
  const { database, vault, clock, random, log } = deps;
  const { httpClient } = settings;
  const stores = webhookStores;
  const client = new SafeHttpClient({ ...httpClient, clock });
  const timeoutMs = httpClient.webhookTimeoutMs;
  const shared = { database, stores, vault, client, clock, random, timeoutMs };
  const provider = providerOf(settings.mail.provider, deps.outboxDir);
  const mails = mailsOf(settings.mail, provider, deps);
  const switchedOff = mailWhenSwitchedOff(stores, mails);
  const worker = new DeliveryWorker({
    ...shared,
    trust: deps.trust,
    log,
    switchedOff,
    attempted: deps.attempted,
  });
  const wake = () => worker.wake();
  const argumentCheck = createArgumentCheck(spawnSchemaWorker, clock);
  return {
    events: createEventSink({ stores, clock, random, wake }),
    tester: new WebhookTester({ ...shared, wake }),
    client,
    mails,
    mailTest: createMailTest({ provider, from: settings.mail.from, clock, random }),
    tools: new HttpToolRunner({
      database,
      targets: toolTargetStore,
      vault,
      client,
      argumentCheck,
      timeoutMs: httpClient.toolTimeoutMs,
      resultBytesMax: httpClient.toolResultBytesMax,
      log,
      clock,
    }),
    start() {
      worker.start();
      mails.start();
    },
    async stop() {
      argumentCheck.close();
      await Promise.all([worker.stop(), mails.stop()]);
    },
  };
}
