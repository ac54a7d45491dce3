/** [server], [storage], [secrets], [http_client], [limits], [log]: the appliance itself. */
import { z } from "zod";
import {
  isCron,
  isDatabaseUrl,
  isHttpUrl,
  isMasterKey,
  isNetwork,
  isOrigin,
  parseHeaders,
  parseHostPort,
} from "../../../platform/config/formats.ts";
import {
  decimal,
  flag,
  integer,
  listOf,
  oneOf,
  optionalText,
  secret,
  section,
  text,
  textOrOff,
} from "../../../platform/config/key.ts";

const address = {
  allowed: 'host:port, e.g. "127.0.0.1:8080" or "[::1]:8080"',
  matches: (value: string) => parseHostPort(value) !== null,
};
const path = { allowed: "a path", charactersMax: 4096 };
const networks = (description: string, allowed: string) =>
  listOf(description, z.string().refine(isNetwork), [], allowed);

export const server = section({
  listen: text("Listening address of the API and the dashboard.", "127.0.0.1:8080", address),
  public_url: optionalText(
    "URL of this appliance in the links of emails and webhooks. Empty: the listening address.",
    {
      allowed: 'the URL of this appliance without a path, e.g. "https://voice.example.com"',
      matches: isOrigin,
    },
  ),
  tls_cert: optionalText("Certificate chain for HTTPS. Set tls_key too.", {
    ...path,
    allowed: "the path of a PEM file",
  }),
  tls_key: optionalText("Private key of that certificate.", {
    ...path,
    allowed: "the path of a PEM file",
  }),
  trusted_proxies: networks(
    "Proxies whose X-Forwarded-For header is trusted.",
    'addresses or networks, e.g. ["127.0.0.1", "10.0.0.0/8"]',
  ),
  metrics_listen: textOrOff(
    "Listening address of Prometheus metrics. Empty: off.",
    "127.0.0.1:9090",
    {
      ...address,
      allowed: 'host:port, e.g. "127.0.0.1:9090"',
    },
  ),
});

export const storage = section({
  data_dir: text(
    "Directory of the database, recordings, outbox and master key. A relative path starts in the working directory.",
    "./data",
    path,
  ),
  database: text(
    '"file": a database in data_dir. A URL: a libSQL server that several nodes can share.',
    "file",
    {
      allowed:
        '"file", or a libsql:// or http:// URL without user, password and "?": the token belongs in auth_token',
      matches: (value) => value === "file" || isDatabaseUrl(value),
    },
  ),
  auth_token: secret("Token of that libSQL server.", { allowed: "the token of the libSQL server" }),
  recordings_retention_days: integer("Days until recordings are deleted.", 30, 0, 3650),
  transcripts_retention_days: integer(
    "Days until transcripts are deleted. Tenants can extend this.",
    30,
    1,
    3650,
  ),
  backup_at: textOrOff("Times of automatic backups, in local time. Empty: never.", "30 3 * * *", {
    allowed: 'five cron fields, e.g. "30 3 * * *"',
    matches: isCron,
  }),
  backup_keep: integer("Number of backups to keep.", 7, 1, 1000),
});

export const secrets = section({
  master_key: secret(
    "Key that encrypts stored secrets. Empty: created in <data>/master.key at the first start.",
    {
      allowed: "32 bytes in base64",
      matches: isMasterKey,
    },
  ),
});

export const httpClient = section({
  allow_networks: networks(
    "Private networks that tools and webhooks can access.",
    'networks that tools and webhooks can access, e.g. ["10.1.0.0/16"]',
  ),
  ca_file: optionalText(
    "Additional certificate authorities for tools, webhooks, websites, traces and the servers of [engine].",
    {
      ...path,
      allowed: "the path of a PEM file",
    },
  ),
  tool_timeout_ms: integer("Timeout of a tool.", 20_000, 100, 120_000),
  webhook_timeout_ms: integer("Timeout of a webhook.", 8_000, 100, 60_000),
});

export const limits = section({
  requests_per_minute: integer(
    "Maximum number of requests per minute for each API key.",
    120,
    1,
    1_000_000,
  ),
  body_bytes: integer("Largest request body.", 2_097_152, 1024, 104_857_600),
  concurrent_calls: integer("Maximum number of concurrent calls on the appliance.", 200, 1, 5000),
  daily_spend_eur: decimal(
    "Maximum amount in EUR that a tenant's wallet pays for calls in 24 hours. The operator can set another limit for a tenant. At the limit, new calls and transfers are rejected; live calls continue.",
    50,
    0.01,
    100_000,
  ),
  trial_minutes_per_day: integer(
    "Free minutes per day for a company to try its agents (chats, browser calls, rehearsals) with a paid engine. 10 000 tokens count as one minute if that is more than the time used. Further minutes are charged at the plan's price per minute. The built-in engine is always free.",
    30,
    0,
    100_000,
  ),
  new_numbers_per_hour: integer(
    "Maximum number of newly called numbers per hour and tenant. Above it, calls to new numbers are rejected, and the tenant gets an email.",
    500,
    1,
    100_000,
  ),
  new_countries_per_day: integer(
    "Maximum number of newly called countries per day and tenant, in addition to the country of the caller ID.",
    3,
    1,
    250,
  ),
});

export const telemetry = section({
  traces_endpoint: optionalText(
    "URL of the collector of traces. Each call sends one trace with set-up, turns, steps of each answer, tools and end. If the collector is down, traces are lost, but calls continue.",
    {
      allowed:
        'the URL of an OpenTelemetry collector, e.g. "http://127.0.0.1:4318/v1/traces" (OTLP over HTTP, JSON)',
      matches: isHttpUrl,
    },
  ),
  traces_headers: secret("Headers of each request to the collector.", {
    allowed: 'headers as name=value, separated by commas, e.g. "authorization=Bearer abc"',
    matches: (value) => parseHeaders(value) !== null,
  }),
});

export const log = section({
  level: oneOf("Minimum level of log lines.", ["debug", "info", "warn", "error"], "info"),
  format: oneOf(
    '"auto": pretty on a terminal, JSON lines otherwise.',
    ["auto", "pretty", "json"],
    "auto",
  ),
  personal_data: flag("Whether logs contain phone numbers and transcripts unmasked.", false),
});
