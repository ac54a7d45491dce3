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
  listen: text("Where the API and the dashboard listen.", "127.0.0.1:8080", address),
  public_url: optionalText(
    "The address in links of mails and webhooks. Empty: the listening address.",
    {
      allowed:
        'where others reach this appliance, without a path, e.g. "https://voice.example.com"',
      matches: isOrigin,
    },
  ),
  tls_cert: optionalText(
    "Certificate chain. With tls_key set as well, the appliance serves HTTPS itself.",
    { ...path, allowed: "the path of a PEM file" },
  ),
  tls_key: optionalText("Private key of that certificate.", {
    ...path,
    allowed: "the path of a PEM file",
  }),
  trusted_proxies: networks(
    "Proxies whose X-Forwarded-For header is trusted.",
    'addresses or networks, e.g. ["127.0.0.1", "10.0.0.0/8"]',
  ),
  metrics_listen: textOrOff('Prometheus metrics; "" is off.', "127.0.0.1:9090", {
    ...address,
    allowed: 'host:port, e.g. "127.0.0.1:9090"',
  }),
});

export const storage = section({
  data_dir: text(
    "Directory of database, recordings, outbox and master key. Relative to the working directory.",
    "./data",
    path,
  ),
  database: text(
    '"file" keeps the database in data_dir; a URL names a libSQL server that several nodes share.',
    "file",
    {
      allowed:
        '"file", or a libsql:// or http:// URL without user, password and "?": the token belongs in auth_token',
      matches: (value) => value === "file" || isDatabaseUrl(value),
    },
  ),
  auth_token: secret("Token of that libSQL server.", { allowed: "the token of the libSQL server" }),
  recordings_retention_days: integer("Recordings are deleted after so many days.", 30, 0, 3650),
  transcripts_retention_days: integer(
    "Transcripts are deleted after so many days; tenants may extend theirs.",
    30,
    1,
    3650,
  ),
  backup_at: textOrOff("When a backup is made, in local time. Empty: never.", "30 3 * * *", {
    allowed: 'five cron fields, e.g. "30 3 * * *"',
    matches: isCron,
  }),
  backup_keep: integer("How many backups are kept.", 7, 1, 1000),
});

export const secrets = section({
  master_key: secret("Encrypts stored secrets. Empty: made in <data>/master.key on first start.", {
    allowed: "32 bytes in base64",
    matches: isMasterKey,
  }),
});

export const httpClient = section({
  allow_networks: networks(
    "Private networks that tools and webhooks may reach.",
    'networks that tools and webhooks may reach, e.g. ["10.1.0.0/16"]',
  ),
  ca_file: optionalText(
    "Further certificate authorities: for tools, webhooks, sites, traces and the servers of [engine].",
    {
      ...path,
      allowed: "the path of a PEM file",
    },
  ),
  tool_timeout_ms: integer("Longest wait for a tool.", 20_000, 100, 120_000),
  webhook_timeout_ms: integer("Longest wait for a webhook.", 8_000, 100, 60_000),
});

export const limits = section({
  requests_per_minute: integer("Requests a minute that one API key may send.", 120, 1, 1_000_000),
  body_bytes: integer("Largest request body.", 2_097_152, 1024, 104_857_600),
  concurrent_calls: integer("Calls at the same time on the whole appliance.", 200, 1, 5000),
  daily_spend_eur: decimal(
    "EUR that a tenant's wallet may pay for calls within 24 hours, unless the operator set another limit for the tenant. Above it no call begins and none is transferred; calls that have begun go on.",
    50,
    0.01,
    100_000,
  ),
  trial_minutes_per_day: integer(
    "Free minutes per day in which a company may try its agents (chats, browser talks, rehearsals) with a paid engine. A minute is a minute of use, or 10 000 tokens if that is more. Then the wallet pays the plan's price per minute. The built-in engine is always free.",
    30,
    0,
    100_000,
  ),
  new_numbers_per_hour: integer(
    "Numbers a tenant may call within an hour that it never called before; then calls to new numbers stop, with a mail.",
    500,
    1,
    100_000,
  ),
  new_countries_per_day: integer(
    "Countries a tenant may call within a day that it never called before, beside that of its caller id.",
    3,
    1,
    250,
  ),
});

export const telemetry = section({
  traces_endpoint: optionalText(
    "Where traces are sent: one per call, with set-up, turns, steps of each answer, tools and end. A missing collector loses traces, never a call.",
    {
      allowed:
        'the URL of an OpenTelemetry collector, e.g. "http://127.0.0.1:4318/v1/traces" (OTLP over HTTP, JSON)',
      matches: isHttpUrl,
    },
  ),
  traces_headers: secret("Sent with each request to the collector.", {
    allowed: 'headers as name=value, separated by commas, e.g. "authorization=Bearer abc"',
    matches: (value) => parseHeaders(value) !== null,
  }),
});

export const log = section({
  level: oneOf(
    "Least important lines that are written.",
    ["debug", "info", "warn", "error"],
    "info",
  ),
  format: oneOf(
    '"auto": pretty on a terminal, JSON lines otherwise.',
    ["auto", "pretty", "json"],
    "auto",
  ),
  personal_data: flag("Whether logs show phone numbers and transcripts in clear.", false),
});
