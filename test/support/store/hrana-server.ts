/**
 * A database server with Hrana over HTTP (versions 2 and 3, JSON) on bun:sqlite. Every stream is a
 * separate connection, identified by a baton that changes with every response; idle streams are
 * dropped. Strict about client errors: an old baton, a missing token and a locked writer are
 * errors.
 */
import { Database as Sqlite } from "bun:sqlite";

interface WireValue {
  readonly type: "null" | "integer" | "float" | "text" | "blob";
  readonly value?: string | number;
  readonly base64?: string;
}
interface Statement {
  readonly sql?: string;
  readonly sql_id?: number;
  readonly args?: readonly WireValue[];
  readonly named_args?: readonly { readonly name: string; readonly value: WireValue }[];
  readonly want_rows?: boolean;
}
interface Condition {
  readonly type: "ok" | "error" | "not" | "and" | "or" | "is_autocommit";
  readonly step?: number;
  readonly cond?: Condition;
  readonly conds?: readonly Condition[];
}
interface Batch {
  readonly steps: readonly { readonly condition?: Condition | null; readonly stmt: Statement }[];
}
interface StreamRequest {
  readonly type: string;
  readonly stmt?: Statement;
  readonly batch?: Batch;
  readonly sql?: string;
  readonly sql_id?: number;
}
interface Executed {
  readonly cols: readonly { readonly name: string; readonly decltype: string | null }[];
  readonly rows: readonly (readonly WireValue[])[];
  readonly affected_row_count: number;
  readonly last_insert_rowid: string | null;
}
interface WireError {
  readonly message: string;
  readonly code: string;
}
interface StepOutcome {
  readonly ok?: Executed;
  readonly error?: WireError;
}
interface Stream {
  readonly sqlite: Sqlite;
  readonly sqls: Map<number, string>;
  usedAt: number;
}

export interface HranaServer {
  readonly url: string;
  /** Number of streams that clients have not closed. */
  readonly openStreams: number;
  /** Executed statements, to check what a client sends. */
  readonly statements: readonly string[];
  /** Loses the next responses: executes the request, then closes the connection. */
  loseAnswers(count: number, matching?: RegExp): void;
  /** Blocks all requests until the returned function is called. */
  freeze(): () => void;
  /** Direct access to the database, for checks. */
  readonly inspect: Sqlite;
  stop(): Promise<void>;
}

export interface HranaOptions {
  readonly path: string;
  readonly token?: string;
  readonly version?: 2 | 3;
  readonly hostname?: string;
  readonly port?: number;
  /** How long a statement waits for the writer. */
  readonly busyMs?: number;
  /** Idle time after which a stream is rolled back and dropped. */
  readonly idleMs?: number;
  readonly foreignKeys?: boolean;
}

const BUSY_LOOK_MS = 3;

export function startHranaServer(options: HranaOptions): HranaServer {
  const { path, token, version = 3, busyMs = 300, idleMs = 5_000 } = options;
  const streams = new Map<string, Stream>();
  const idle: Sqlite[] = [];
  const statements: string[] = [];
  let losing = { count: 0, matching: /^/ };
  let thaw: Promise<void> = Promise.resolve();
  let batons = 0;

  function connect(): Sqlite {
    const sqlite = new Sqlite(path, { create: true, strict: true, safeIntegers: true });
    sqlite.run("PRAGMA busy_timeout = 0");
    sqlite.run("PRAGMA journal_mode = WAL");
    sqlite.run(`PRAGMA foreign_keys = ${options.foreignKeys === false ? "OFF" : "ON"}`);
    return sqlite;
  }

  function drop({ sqlite }: Stream): void {
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
    sqlite.run(`PRAGMA foreign_keys = ${options.foreignKeys === false ? "OFF" : "ON"}`);
    idle.push(sqlite);
  }

  const sweeper = setInterval(() => {
    for (const [baton, stream] of streams)
      if (performance.now() - stream.usedAt > idleMs) {
        streams.delete(baton);
        drop(stream);
      }
  }, 250);

  /** Removes the stream from the map: its baton is now used up. */
  function take(baton: string | null | undefined): Stream | null {
    if (!baton)
      return { sqlite: idle.pop() ?? connect(), sqls: new Map(), usedAt: performance.now() };
    const stream = streams.get(baton);
    streams.delete(baton);
    return stream ?? null;
  }

  function keep(stream: Stream): string {
    const baton = `b${++batons}-${crypto.randomUUID()}`;
    stream.usedAt = performance.now();
    streams.set(baton, stream);
    return baton;
  }

  const textOf = (stream: Stream, request: { sql?: string; sql_id?: number }) =>
    request.sql ?? stream.sqls.get(request.sql_id ?? -1) ?? "";

  async function execute(stream: Stream, statement: Statement): Promise<Executed> {
    const sql = textOf(stream, statement);
    statements.push(sql);
    const until = performance.now() + busyMs;
    for (;;) {
      try {
        return executeNow(stream.sqlite, sql, (statement.args ?? []).map(fromWire));
      } catch (error) {
        if (errorOf(error).code !== "SQLITE_BUSY" || performance.now() >= until) throw error;
        await Bun.sleep(BUSY_LOOK_MS);
      }
    }
  }

  async function runBatch(stream: Stream, batch: Batch): Promise<(StepOutcome | null)[]> {
    const outcomes: (StepOutcome | null)[] = [];
    for (const { condition, stmt } of batch.steps) {
      if (condition && !holds(condition, outcomes, stream.sqlite)) {
        outcomes.push(null);
        continue;
      }
      try {
        outcomes.push({ ok: await execute(stream, stmt) });
      } catch (error) {
        outcomes.push({ error: errorOf(error) });
      }
    }
    return outcomes;
  }

  async function answer(stream: Stream, request: StreamRequest): Promise<object> {
    const { type } = request;
    switch (type) {
      case "execute":
        return { type, result: await execute(stream, request.stmt ?? {}) };
      case "batch": {
        const outcomes = await runBatch(stream, request.batch ?? { steps: [] });
        const step_results = outcomes.map((outcome) => outcome?.ok ?? null);
        const step_errors = outcomes.map((outcome) => outcome?.error ?? null);
        return { type, result: { step_results, step_errors } };
      }
      case "sequence":
        stream.sqlite.exec(textOf(stream, request));
        return { type };
      case "describe":
        return { type, result: describe(stream.sqlite, textOf(stream, request)) };
      case "store_sql":
        stream.sqls.set(request.sql_id ?? -1, request.sql ?? "");
        return { type };
      case "close_sql":
        stream.sqls.delete(request.sql_id ?? -1);
        return { type };
      case "get_autocommit":
        return { type, is_autocommit: !stream.sqlite.inTransaction };
      case "close":
        return { type };
      default:
        throw new Error(`unknown request ${type}`);
    }
  }

  async function pipeline(body: { baton?: string | null; requests: StreamRequest[] }) {
    const stream = take(body.baton);
    if (!stream) return Response.json({ message: "Invalid baton" }, { status: 400 });
    const results: object[] = [];
    let closed = false;
    for (const request of body.requests) {
      try {
        results.push({ type: "ok", response: await answer(stream, request) });
      } catch (error) {
        results.push({ type: "error", error: errorOf(error) });
      }
      if (request.type === "close") closed = true;
    }
    if (closed) drop(stream);
    return Response.json({ baton: closed ? null : keep(stream), base_url: null, results });
  }

  /** Version 3: the response has one line for the cursor and one per entry. */
  async function cursor(body: { baton?: string | null; batch: Batch }) {
    const stream = take(body.baton);
    if (!stream) return Response.json({ message: "Invalid baton" }, { status: 400 });
    const entries: object[] = [];
    for (const [step, outcome] of (await runBatch(stream, body.batch)).entries()) {
      if (outcome?.error) entries.push({ type: "step_error", step, error: outcome.error });
      if (!outcome?.ok) continue;
      const { cols, rows, affected_row_count, last_insert_rowid } = outcome.ok;
      entries.push({ type: "step_begin", step, cols });
      for (const row of rows) entries.push({ type: "row", row });
      entries.push({ type: "step_end", affected_row_count, last_insert_rowid });
    }
    const lines = [{ baton: keep(stream), base_url: null }, ...entries];
    return new Response(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  }

  async function handle(request: Request): Promise<Response> {
    await thaw;
    const { pathname } = new URL(request.url);
    if (token !== undefined && request.headers.get("authorization") !== `Bearer ${token}`)
      return Response.json({ message: "unauthorized" }, { status: 401 });
    if (pathname === `/v${version}` || pathname === "/v2") return new Response("ok");
    const text = await request.text();
    let response: Response | null = null;
    if (pathname === `/v${version}/pipeline` || pathname === "/v2/pipeline")
      response = await pipeline(JSON.parse(text));
    if (version === 3 && pathname === "/v3/cursor") response = await cursor(JSON.parse(text));
    if (!response) return new Response("not found", { status: 404 });
    if (losing.count > 0 && losing.matching.test(text)) {
      losing = { ...losing, count: losing.count - 1 };
      return new Response("gone", { status: 502 });
    }
    return response;
  }

  const inspect = connect();
  const server = Bun.serve({
    hostname: options.hostname ?? "127.0.0.1",
    port: options.port ?? 0,
    idleTimeout: 60,
    fetch: handle,
  });

  return {
    url: `http://${server.hostname}:${server.port}`,
    get openStreams() {
      return streams.size;
    },
    statements,
    inspect,
    loseAnswers(count, matching = /^/) {
      losing = { count, matching };
    },
    freeze() {
      const { promise, resolve } = Promise.withResolvers<void>();
      thaw = promise;
      return resolve;
    },
    async stop() {
      clearInterval(sweeper);
      await server.stop(true);
      for (const stream of streams.values()) drop(stream);
      for (const sqlite of [...idle, inspect]) sqlite.close();
    },
  };
}

function executeNow(
  sqlite: Sqlite,
  sql: string,
  args: (string | bigint | number | null | Uint8Array)[],
): Executed {
  const statement = sqlite.prepare(sql);
  try {
    const cols = statement.columnNames.map((name) => ({ name, decltype: null }));
    if (cols.length === 0) {
      const { changes, lastInsertRowid } = statement.run(...args);
      const last_insert_rowid = String(lastInsertRowid);
      return { cols, rows: [], affected_row_count: Number(changes), last_insert_rowid };
    }
    const rows = statement.values(...args).map((row) => row.map(toWire));
    return { cols, rows, affected_row_count: 0, last_insert_rowid: null };
  } finally {
    statement.finalize();
  }
}

function describe(sqlite: Sqlite, sql: string) {
  const statement = sqlite.prepare(sql);
  try {
    const cols = statement.columnNames.map((name) => ({ name, decltype: null }));
    const params = Array.from({ length: statement.paramsCount }, () => ({ name: null }));
    const isExplain = /^\s*explain/i.test(sql);
    return { params, cols, is_explain: isExplain, is_readonly: /^\s*(select|explain)/i.test(sql) };
  } finally {
    statement.finalize();
  }
}

function holds(
  condition: Condition,
  outcomes: readonly (StepOutcome | null)[],
  sqlite: Sqlite,
): boolean {
  const step = outcomes[condition.step ?? -1];
  const { cond, conds = [] } = condition;
  switch (condition.type) {
    case "ok":
      return step?.ok !== undefined;
    case "error":
      return step?.error !== undefined;
    case "not":
      return cond !== undefined && !holds(cond, outcomes, sqlite);
    case "and":
      return conds.every((each) => holds(each, outcomes, sqlite));
    case "or":
      return conds.some((each) => holds(each, outcomes, sqlite));
    case "is_autocommit":
      return !sqlite.inTransaction;
  }
}

function fromWire({ type, value, base64 }: WireValue) {
  if (type === "null") return null;
  if (type === "integer") return BigInt(value ?? 0);
  if (type === "float") return Number(value);
  if (type === "blob") return new Uint8Array(Buffer.from(base64 ?? "", "base64"));
  return String(value);
}

function toWire(value: unknown): WireValue {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (typeof value === "number") return { type: "float", value };
  if (value instanceof Uint8Array)
    return { type: "blob", base64: Buffer.from(value).toString("base64") };
  return { type: "text", value: String(value) };
}

/** Uses libSQL's names for codes, without the extended part. */
function errorOf(error: unknown): WireError {
  const { code, message } = error as { code?: string; message: string };
  const plain = /^SQLITE_[A-Z]+/.exec(code ?? "")?.[0];
  return { message: plain ? `${plain}: ${message}` : message, code: plain ?? "SQL_INPUT_ERROR" };
}
