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
} from "../formats.ts";
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
} from "../key.ts";

const address = {
  allowed: 'host:port, e.g. "127.0.0.1:8080" or "[::1]:8080"',
  matches: (value: string) => parseHostPort(value) !== null,
};
const path = { allowed: "a path", charactersMax: 4096 };
const networks = (allowed: string) => listOf(z.string().refine(isNetwork), [], allowed);

export const server = section({
  listen: text("127.0.0.1:8080", address),
  public_url: optionalText({
    allowed: 'where others reach this appliance, without a path, e.g. "https://voice.example.com"',
    matches: isOrigin,
  }),
  tls_cert: optionalText({ ...path, allowed: "the path of a PEM file" }),
  tls_key: optionalText({ ...path, allowed: "the path of a PEM file" }),
  trusted_proxies: networks('addresses or networks, e.g. ["127.0.0.1", "10.0.0.0/8"]'),
  metrics_listen: textOrOff("127.0.0.1:9090", {
    ...address,
    allowed: 'host:port, e.g. "127.0.0.1:9090"',
  }),
});

export const storage = section({
  data_dir: text("./data", path),
  database: text("file", {
    allowed: '"file" or a libsql:// or http:// URL',
    matches: (value) => value === "file" || isDatabaseUrl(value),
  }),
  auth_token: secret({ allowed: "the token of the libSQL server" }),
  recordings_retention_days: integer(30, 0, 3650),
  transcripts_retention_days: integer(30, 1, 3650),
  backup_at: textOrOff("30 3 * * *", {
    allowed: 'five cron fields, e.g. "30 3 * * *"',
    matches: isCron,
  }),
  backup_keep: integer(7, 1, 1000),
});

export const secrets = section({
  master_key: secret({ allowed: "32 bytes in base64", matches: isMasterKey }),
});

export const httpClient = section({
  allow_networks: networks('networks that tools and webhooks may reach, e.g. ["10.1.0.0/16"]'),
  ca_file: optionalText({ ...path, allowed: "the path of a PEM file" }),
  tool_timeout_ms: integer(20_000, 100, 120_000),
  webhook_timeout_ms: integer(8_000, 100, 60_000),
});

export const limits = section({
  requests_per_minute: integer(120, 1, 1_000_000),
  body_bytes: integer(2_097_152, 1024, 104_857_600),
  connections_per_address: integer(512, 8, 65_536),
  concurrent_calls: integer(200, 1, 5000),
  daily_spend_eur: decimal(50, 0.01, 100_000),
  new_numbers_per_hour: integer(500, 1, 100_000),
  new_countries_per_day: integer(3, 1, 250),
});

export const telemetry = section({
  traces_endpoint: optionalText({
    allowed:
      'the URL of an OpenTelemetry collector, e.g. "http://127.0.0.1:4318/v1/traces" (OTLP over HTTP, JSON)',
    matches: isHttpUrl,
  }),
  traces_headers: secret({
    allowed: 'headers as name=value, separated by commas, e.g. "authorization=Bearer abc"',
    matches: (value) => parseHeaders(value) !== null,
  }),
});

export const log = section({
  level: oneOf(["debug", "info", "warn", "error"], "info"),
  format: oneOf(["auto", "pretty", "json"], "auto"),
  personal_data: flag(false),
});
