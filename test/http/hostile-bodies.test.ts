/**
 * Every route of both APIs gets hostile bodies of the largest allowed size, while
 * somebody asks for /ping. None holds the main thread for 250 ms of processor time at once, and none makes the
 * process 300 MB larger. Fields that a route takes are found in its contract: a new route is covered. Large valid
 * bodies are sent by main-thread.test.ts.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import type { Contract } from "../../src/http/contract.ts";
import { type MeteredProcess, startMeteredProcess } from "../support/appliance/metered-process.ts";
import { pathOf } from "../support/http/api-fixtures.ts";
import { everyRoute, type FieldSchema, operationOf, resolved } from "../support/http/documented.ts";

setDefaultTimeout(120_000);

const HELD_MS_MAX = 250;
const GROWTH_MB_MAX = 300;
/** Just below the default `[limits] body_bytes`. */
const BODY_CHARACTERS = 2_000_000;
/** Almost as many values as a body may have. */
const VALUES = 19_000;
/** Sizes of texts whose limit is not in their contract: below and above the limits of handlers. */
const TEXT_SIZES = [49_000, 250_000, BODY_CHARACTERS];
const LARGE_TEXT = 20_000;

let appliance: MeteredProcess | null = null;
let pings = 0;
let isOver = false;
let pinging: Promise<void> = Promise.resolve();

beforeAll(async () => {
  appliance = await startMeteredProcess("127.53.0.2");
  const { ready } = appliance;
  pinging = (async () => {
    while (!isOver) {
      await (await fetch(`${ready.base}/api/v1/ping`)).arrayBuffer();
      pings++;
      await Bun.sleep(5);
    }
  })();
});
afterAll(async () => {
  isOver = true;
  await pinging;
  await appliance?.stop();
});

function started(): MeteredProcess {
  if (!appliance) throw new Error("not started");
  return appliance;
}

/** Resident memory, in MB. */
function memory(): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${started().pid}/status`, "utf8");
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mb("VmRSS"), peak: mb("VmHWM") };
}

const forgetPeak = () => writeFileSync(`/proc/${started().pid}/clear_refs`, "5");

const filled = (unit: string, characters: number) =>
  unit.repeat(Math.floor(characters / unit.length));

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/** A pattern of the largest allowed length; it takes up to a tenth of a second to compile. */
const LARGE_PATTERN = "a{1000}".repeat(280);

/** Texts for scenarios, pages, tables and prompts, by their number of characters. */
const TEXTS: Readonly<Record<string, (characters: number) => string>> = {
  "aliases of a long text": (n) =>
    `name: &a ${"x".repeat(n / 2)}\nscript: [${filled("{say: *a},", n / 2 - 40)}]\n`,
  "aliases of aliases": (n) =>
    Array.from({ length: n / 60 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1}, `.repeat(5)}]`)
      .join("\n")
      .replaceAll("*a-1", "x"),
  "YAML documents": (n) => filled("a\n---\n", n),
  "YAML in brackets": (n) => filled("[", n),
  "YAML in dashes": (n) => filled("- ", n),
  "a broken scenario": (n) => `${filled("- {say: a}\n", n - 9)}\n"`,
  "patterns in a scenario": (n) =>
    `name: A\nscript:\n${filled(`- {say: a, must: [{says: {regex: '${LARGE_PATTERN}'}}]}\n`, n - 30)}`,
  "small patterns in a scenario": (n) =>
    `name: A\nscript:\n${filled("- {say: a, must: [{says: {regex: 'x{9}.*[a-z]'}}]}\n", n - 30)}`,
  scenarios: (n) => filled("name: A\nscript:\n- {say: a, must: [b]}\n---\n", n),
  "JSON in brackets": (n) => deep(n / 2),
  "fields of JSON": (n) =>
    `{${Array.from({ length: n / 12 }, (_, at) => `"${at * 9973}":1`)}}`.slice(0, n),
  headings: (n) => filled("# a\n", n),
  "table cells": (n) => filled("| a ", n),
  "elements of HTML": (n) => filled("<div>", n),
  "CSV quotes": (n) => filled('"', n),
  "CSV columns": (n) => `number\n${filled("a,", n - 8)}`,
  "CSV lines": (n) => `number\n${filled("1\n", n - 8)}`,
  "empty lines": (n) => filled("\n", n),
  "a long number": (n) => filled("9", n),
  "places to fill in": (n) => filled("{{a}}", n),
  "a long line of spaces": (n) => `a${filled(" ", n - 2)}b`,
  "half characters": (n) => filled("\ud83d", n),
};

/** Values for fields that take any JSON, such as a tool's schema and arguments. */
const VALUES_OF_ANY: Readonly<Record<string, string>> = {
  brackets: `{"type":"object","a":${deep(VALUES)}}`,
  fields: `{${Array.from({ length: VALUES }, (_, at) => `"a${at}":1`)}}`,
  "large patterns": schemaOf(800, `{"type":"string","pattern":"${LARGE_PATTERN}"}`),
  "patterns that look back": schemaOf(4_000, '{"type":"string","pattern":"(a|a?)+$"}'),
  references: `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[${Array(4_000).fill('{"$ref":"#/$defs/a"}')}]}}}`,
  choices: `{"type":"object","properties":{"a":{"enum":[${Array.from({ length: 15_000 }, (_, at) => at)}]}}}`,
};

function schemaOf(count: number, property: string): string {
  const properties = Array.from({ length: count }, (_, at) => `"p${at}":${property}`);
  return `{"type":"object","properties":{${properties}}}`;
}

/** Complete bodies, made of the fields that the route accepts. */
const BODIES: Readonly<Record<string, (fields: readonly string[]) => string>> = {
  "nested as deeply as allowed": (fields) =>
    bodyOf(fields, deep(Math.floor(VALUES / fields.length))),
  "nested a million times": ([field]) => `{"${field}":${deep(BODY_CHARACTERS / 2 - 10)}}`,
  "of many fields": () =>
    `{${Array.from({ length: VALUES }, (_, at) => `"${String(at).padStart(96, "a")}":1`)}}`,
  "of one field, many times": ([field]) =>
    `{${Array(VALUES).fill(`"${field}":"${"x".repeat(60)}"`)}}`,
  "of long numbers": (fields) => bodyOf(fields, "9".repeat(share(fields))),
  "of long texts": (fields) => bodyOf(fields, `"${"x".repeat(share(fields))}"`),
  "of long lists": (fields) =>
    bodyOf(fields, `[${Array(Math.floor(VALUES / fields.length)).fill('"a@b.example"')}]`),
};

const bodyOf = (fields: readonly string[], value: string) =>
  `{${fields.map((field) => `"${field}":${value}`)}}`;
const share = (fields: readonly string[]) =>
  Math.floor((BODY_CHARACTERS - 50 * fields.length) / fields.length);

const HOSTILE = "hostile";
interface Place {
  /** A valid body with HOSTILE in place of the hostile value. */
  readonly body: unknown;
  readonly name: string;
  /** Null: any JSON. */
  readonly sizes: readonly number[] | null;
}

const isText = ({ type }: FieldSchema) =>
  type === "string" || (Array.isArray(type) && type.includes("string"));

/** The fields that accept a large text or any JSON, each with a body whose other fields are valid. */
function placesOf(mount: string, given: FieldSchema, name = ""): readonly Place[] {
  const schema = resolved(mount, given);
  const { properties, items } = schema;
  if (properties)
    return Object.entries(properties).flatMap(([field, inner]) =>
      placesOf(mount, inner, `${name}.${field}`).map((place) => ({
        ...place,
        body: { ...Object(valid(mount, schema, name)), [field]: place.body },
      })),
    );
  if (items)
    return placesOf(mount, items, `${name}[]`).map((place) => ({ ...place, body: [place.body] }));
  if (schema.enum || schema.const !== undefined || schema.pattern || schema.format) return [];
  if (isText(schema)) {
    const sizes = schema.maxLength === undefined ? TEXT_SIZES : [schema.maxLength];
    return sizes.every((size) => size >= LARGE_TEXT) ? [{ name, body: HOSTILE, sizes }] : [];
  }
  return schema.type === "object" ? [{ name, body: HOSTILE, sizes: null }] : [];
}

/** Required fields only. */
function valid(mount: string, given: FieldSchema, name: string): unknown {
  const schema = resolved(mount, given);
  const { properties, required = [], items, examples, example } = schema;
  if (name.endsWith("agent_id")) return started().ready.ids.agent;
  if (schema.const !== undefined) return schema.const;
  const isRehearsal = properties && "scenarios" in properties;
  if (properties)
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([field]) => required.includes(field) || (isRehearsal && field === "agent_id"))
        .map(([field, inner]) => [field, valid(mount, inner, `${name}.${field}`)]),
    );
  return examples?.[0] ?? example ?? schema.enum?.[0] ?? (items ? [valid(mount, items, "")] : null);
}

function* bodiesOf(mount: string, contract: Contract): Generator<readonly [string, string]> {
  const { body: schema } = operationOf(mount, contract);
  const fields = Object.keys((schema && resolved(mount, schema).properties) ?? { a: {} });
  for (const [name, make] of Object.entries(BODIES)) yield [name, make(fields)];
  for (const { name, body, sizes } of schema ? placesOf(mount, schema) : []) {
    const json = (value: string) => JSON.stringify(body).replace(`"${HOSTILE}"`, () => value);
    if (sizes === null)
      for (const [kind, value] of Object.entries(VALUES_OF_ANY))
        yield [`${name}: ${kind}`, json(value)];
    for (const size of sizes ?? [])
      for (const [kind, make] of Object.entries(TEXTS))
        yield [`${name}: ${kind}, ${size}`, json(written(name, make, size))];
  }
}

/** The JSON of the text. JSON escapes characters: the text is made shorter if a body could not contain it. */
function written(name: string, make: (characters: number) => string, size: number): string {
  const isBase64 = name.endsWith("_base64");
  const jsonOf = (characters: number) => {
    const text = make(characters);
    return JSON.stringify(isBase64 ? Buffer.from(text).toBase64() : text);
  };
  const json = jsonOf(size - 100);
  const most = BODY_CHARACTERS - 1_000;
  return json.length <= most ? json : jsonOf(Math.floor((size * most) / json.length) - 100);
}

let round = 0;

async function statusOf(mount: string, contract: Contract, body: string): Promise<string> {
  const { base, key, cookies, ids } = started().ready;
  const cookie = cookies[round++ % cookies.length] ?? "";
  const response = await fetch(base + mount + pathOf(contract, ids[contract.noun ?? ""] ?? 1), {
    method: contract.method,
    headers: {
      ...(mount === "/api/v1" ? { authorization: `Bearer ${key}` } : { cookie, origin: base }),
      "content-type": "application/json",
    },
    body,
  });
  const text = await response.text();
  return `${response.status} ${response.ok ? "" : text.slice(0, 90)}`;
}

const changing = everyRoute().filter(([, , { method }]) => method !== "GET");

test.each(changing)("%s", async (_, mount, contract) => {
  const { longestTurn } = started();
  const held: string[] = [];
  forgetPeak();
  const before = memory().now;
  for (const [name, body] of bodiesOf(mount, contract)) {
    await longestTurn();
    const status = await statusOf(mount, contract, body);
    const ms = Math.round(await longestTurn());
    const story = `${contract.operationId} ${name}: ${ms} ms, ${Math.round(memory().now)} MB, ${status}`;
    if (process.env.LINEVOICE_STORIES) console.log("HELD", ms, story);
    if (ms > HELD_MS_MAX) held.push(story);
  }
  expect(held).toEqual([]);
  expect(memory().peak - before).toBeLessThanOrEqual(GROWTH_MB_MAX);
});

test("/ping was answered meanwhile", () => {
  expect(pings).toBeGreaterThan(changing.length);
});
