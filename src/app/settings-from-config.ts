/**
 * Maps the configuration file's keys to the settings of the composition. Reads the PEM files that
 * it names.
 */

import type { DialingLimits } from "../call/admission/admission.ts";
import type { ConversationSettings } from "../conversation/conversation-settings.ts";
import type { CodecName } from "../core/codecs.ts";
import { eurToMicro } from "../core/money.ts";
import { recordOf } from "../core/wire-names.ts";
import type { GoodsPrices } from "../features/billing/cost-of-goods.ts";
import type { StripeSettings } from "../features/billing/payments/stripe.ts";
import type { Plan } from "../features/billing/ports.ts";
import {
  callWorkersOf,
  engineLabelOf,
  enginePricesOf,
  engineSettingsOf,
  heardCallsMaxOf,
  knowledgeTokensOf,
} from "../ops/config/engine-settings.ts";
import { authoritiesOf, readPair, readPem } from "../ops/config/pem.ts";
import type { Config } from "../ops/config/schema.ts";
import type { HostPort } from "../platform/config/formats.ts";
import { parseHeaders, parseHostPort, parsePortRange } from "../platform/config/formats.ts";
import type { CallWorkerSettings } from "../worker/messages.ts";

function hostPort(text: string): HostPort {
  const parsed = parseHostPort(text);
  if (!parsed) throw new RangeError(`not host:port: ${text}`);
  return parsed;
}

/** PEM. */
function tlsOf({ server }: Config): { cert: string; key: string } | null {
  if (!server.tls_cert || !server.tls_key) return null;
  return readPair({ cert: server.tls_cert, key: server.tls_key }, "server");
}

/** Address, certificate and key (PEM) for SIP over TLS; null: disabled. */
function sipTlsOf({ sip }: Config): { bind: HostPort; cert: string; key: string } | null {
  if (!sip.tls_bind || !sip.tls_cert || !sip.tls_key) return null;
  return {
    bind: hostPort(sip.tls_bind),
    ...readPair({ cert: sip.tls_cert, key: sip.tls_key }, "sip"),
  };
}

/** `host` or `host:port`. */
const hostWithPort = (text: string): { host: string; port: number | null } =>
  parseHostPort(text) ?? { host: text, port: null };

function planOf(plan: Config["plans"][number]): Plan {
  return {
    slug: plan.slug,
    name: plan.name,
    includedMinutes: plan.included_minutes,
    pricePerMonth: eurToMicro(plan.price_eur_per_month),
    overagePerMinute: eurToMicro(plan.overage_eur_per_min),
    maxConcurrentCalls: plan.max_concurrent_calls,
    maxAgents: plan.max_agents,
    maxNumbers: plan.max_phone_numbers,
    maxFiles: plan.max_files,
    maxWebhooks: plan.max_webhooks,
    quotas: {
      contacts: plan.max_contacts,
      tools: plan.max_tools,
      campaigns: plan.max_campaigns,
      schedules: plan.max_schedules,
      knowledgeBytes: plan.max_knowledge_bytes,
    },
  };
}

function mailProviderOf(mail: Config["mail"]): MailProviderSettings {
  if (mail.provider === "smtp")
    return {
      kind: "smtp",
      host: mail.smtp.host ?? "localhost",
      port: mail.smtp.port,
      username: mail.smtp.username,
      password: mail.smtp.password,
      security: mail.smtp.security,
      timeoutMs: mail.smtp.timeout_ms,
    };
  if (mail.provider === "resend")
    return {
      kind: "resend",
      apiKey: mail.resend.api_key ?? "",
      baseUrl: mail.resend.base_url,
      timeoutMs: mail.resend.timeout_ms,
    };
  return { kind: "outbox" };
}

function pricesOf(config: Config): GoodsPrices {
  const prices = enginePricesOf(config);
  const { embedding_eur_per_million_tokens: embedding } = config.engine.openai;
  return {
    sttPerMinute: eurToMicro(prices.stt_eur_per_min),
    llmInputPerMillionTokens: eurToMicro(prices.llm_input_eur_per_million_tokens),
    llmOutputPerMillionTokens: eurToMicro(prices.llm_output_eur_per_million_tokens),
    ttsPerMillionCharacters: eurToMicro(prices.tts_eur_per_million_characters),
    embeddingPerMillionTokens: eurToMicro(embedding),
    trunkPerMinute: eurToMicro(0),
  };
}

function bankDetailsOf({ payments }: Config): string | null {
  const { beneficiary, iban, bic, bank, instructions } = payments.manual;
  if (!iban) return instructions;
  const lines = [beneficiary, iban, bic, bank, instructions];
  return lines.filter((line) => line !== null).join("\n");
}

function stripeOf({ payments }: Config): StripeSettings | null {
  if (payments.provider !== "stripe") return null;
  const { secret_key, webhook_secret, base_url } = payments.stripe;
  return {
    secretKey: secret_key ?? "",
    webhookSecret: webhook_secret ?? "",
    baseUrl: base_url,
  };
}

export function callWorkerOf(config: Config): CallWorkerSettings {
  const { rtp } = config;
  const range = parsePortRange(rtp.ports);
  if (!range) throw new RangeError(`not a port range: ${rtp.ports}`);
  return {
    rtpPorts: range,
    rtpTimeoutMs: rtp.timeout_sec * 1000,
    holdTimeoutMs: rtp.hold_timeout_sec * 1000,
    jitterMsMax: rtp.jitter_ms_max,
    keepsPacketHeaders: rtp.packet_headers,
    engine: { ...engineSettingsOf(config), caPem: authoritiesOf(config) },
    conversation: conversationOf(config),
  };
}

function conversationOf(config: Config): ConversationSettings {
  const { conversation, http_client } = config;
  const { tool_timeout_ms: toolTimeoutMs } = http_client;
  const knowledgeTokens = knowledgeTokensOf(config);
  const settings = { ...recordOf(conversation), knowledgeTokens, toolTimeoutMs };
  const silent = { lt: "", lv: "", en: "", ru: "" };
  return conversation.disclosure_enabled ? settings : { ...settings, disclosure: silent };
}

function tracesOf({ telemetry }: Config) {
  const { traces_endpoint: url, traces_headers: headers } = telemetry;
  return url === null ? null : { url, headers: parseHeaders(headers ?? "") ?? {} };
}

function storageOf({ storage }: Config) {
  const isShared = storage.database !== "file";
  return {
    recordingsRetentionDays: storage.recordings_retention_days,
    transcriptsRetentionDays: storage.transcripts_retention_days,
    /** Cron in local time; null: no nightly backup. */
    backupAt: storage.backup_at || null,
    backupKeep: storage.backup_keep,
    /** Several nodes share the store, so it counts the limits. */
    shared: isShared,
    /** The shared libSQL server; null: a file in the data directory. */
    remote: isShared ? { url: storage.database, authToken: storage.auth_token } : null,
  };
}

function httpOf(config: Config) {
  const { server, limits } = config;
  return {
    listen: hostPort(server.listen),
    publicUrl: server.public_url,
    tls: tlsOf(config),
    requestsPerMinute: limits.requests_per_minute,
    bodyBytesMax: limits.body_bytes,
    trustedProxies: server.trusted_proxies,
  };
}

function sipOf(config: Config) {
  const { sip, rtp } = config;
  return {
    bind: hostPort(sip.bind),
    externalIp: sip.external_ip,
    allowNetworks: sip.allow_networks,
    newCallsPerSecond: sip.new_calls_per_sec,
    userAgent: sip.user_agent,
    registerExpiresSeconds: sip.register_expires_sec,
    ringTimeoutMs: sip.ring_timeout_sec * 1000,
    sessionExpiresSeconds: sip.session_expires_sec,
    codecs: sip.codecs as readonly CodecName[],
    srtp: sip.srtp,
    comfortNoise: rtp.comfort_noise,
    outboundProxy: sip.outbound_proxy,
    tls: sipTlsOf(config),
    /**
     * Certificate authorities (PEM) that TLS trunks trust in addition to the public ones; null:
     * none.
     */
    tlsCa: sip.tls_ca_file ? readPem(sip.tls_ca_file, "[sip] tls_ca_file") : null,
    stunServer: sip.stun_server === null ? null : hostWithPort(sip.stun_server),
    trace: sip.trace,
  };
}

function httpClientOf({ http_client, conversation }: Config) {
  return {
    allowNetworks: http_client.allow_networks,
    caPem: authoritiesOf({ http_client }),
    toolTimeoutMs: http_client.tool_timeout_ms,
    toolResultBytesMax: conversation.tool_result_bytes_max,
    webhookTimeoutMs: http_client.webhook_timeout_ms,
  };
}

function mailOf({ mail }: Config) {
  return {
    from: mail.from,
    provider: mailProviderOf(mail),
    attachmentBytesMax: mail.attachment_bytes_max,
    outboxKeepDays: mail.outbox_keep_days,
  };
}

function dialingOf({ limits }: Config): DialingLimits {
  return {
    dailySpendMax: eurToMicro(limits.daily_spend_eur),
    burst: {
      newNumbersPerHour: limits.new_numbers_per_hour,
      newCountriesPerDay: limits.new_countries_per_day,
    },
  };
}

interface GivenSettings {
  readonly version: string;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  readonly dataDir: string;
}

/** A configuration key is mapped here only if a component needs another unit or format. */
export function settingsFromConfig(config: Config, given: GivenSettings) {
  const { server, limits } = config;
  return {
    ...given,
    storage: storageOf(config),
    http: httpOf(config),
    /** Collector of traces (OTLP over HTTP); null: none. */
    traces: tracesOf(config),
    metricsListen: server.metrics_listen ? hostPort(server.metrics_listen) : null,
    sip: sipOf(config),
    callWorkers: callWorkersOf(config),
    callWorker: callWorkerOf(config),
    engineLabel: engineLabelOf(config),
    voiceAliases: config.engine.voice_aliases,
    prices: pricesOf(config),
    /** null: knowledge search uses words only. */
    embeddings: config.engine.openai.embedding_model === null ? null : config.engine.openai,
    plans: config.plans.map(planOf) as readonly Plan[],
    httpClient: httpClientOf(config),
    mail: mailOf(config),
    /** Null: payments are bank transfers, confirmed by the operator. */
    stripe: stripeOf(config),
    /** Balances in micro-euros below which a tenant gets a mail. */
    lowBalanceThresholds: config.payments.low_balance_eur.map(eurToMicro),
    concurrentCallsMax: limits.concurrent_calls,
    heardCallsMax: heardCallsMaxOf(config),
    dialing: dialingOf(config),
    trialMinutesPerDay: limits.trial_minutes_per_day,
    /** Instructions for bank transfers, as lines; null: ask the operator. */
    bankDetails: bankDetailsOf(config),
  };
}

export type MailProviderSettings =
  | { readonly kind: "outbox" }
  | {
      readonly kind: "smtp";
      readonly host: string;
      readonly port: number;
      readonly username: string | null;
      readonly password: string | null;
      readonly security: "none" | "starttls" | "tls";
      readonly timeoutMs: number;
    }
  | {
      readonly kind: "resend";
      readonly apiKey: string;
      readonly baseUrl: string;
      readonly timeoutMs: number;
    };
