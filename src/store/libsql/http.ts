/** Streams of a libSQL server over HTTP, for servers and proxies without WebSocket support. */
import {
  BatchCond,
  type BatchStep,
  type HttpClient,
  type HttpStream,
  type RowsResult,
  Stmt,
} from "@libsql/hrana-client";
import type { Query, StepResult } from "./hrana-json.ts";
import type { HranaStream, StreamSource } from "./sockets.ts";

export const httpStreamsOf = (client: HttpClient): StreamSource => ({
  openStream: () => streamOf(client.openStream()),
});

function streamOf(stream: HttpStream): HranaStream {
  return {
    async batch(steps) {
      const statements = steps.map(({ query }) => statementOf(query));
      const batch = stream.batch(false);
      const places: BatchStep[] = [];
      const results = steps.map(({ after }, at) => {
        const place = batch.step();
        places.push(place);
        const before = after && places[after.step];
        if (before) place.condition(after.succeeded ? BatchCond.ok(before) : notOk(before));
        return resultOf(place.query(statements[at] ?? ""));
      });
      await batch.execute();
      return await Promise.all(results);
    },
    close: () => stream.close(),
    get closed() {
      return stream.closed;
    },
  };
}

const notOk = (step: BatchStep) => BatchCond.not(BatchCond.ok(step));

async function resultOf(answer: Promise<RowsResult | undefined>): Promise<StepResult> {
  try {
    const result = await answer;
    if (!result) return null;
    return {
      columns: result.columnNames.map((name) => name ?? ""),
      rows: result.rows.map((row): unknown[] => Array.prototype.slice.call(row)),
      rowsAffected: result.affectedRowCount,
    };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Whole numbers are sent as integers (hrana-json.ts). */
function statementOf({ sql, args }: Query): Stmt {
  const exact = args.map((value) =>
    typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value,
  );
  return new Stmt(sql).bindIndexes(exact as Parameters<Stmt["bindIndexes"]>[0]);
}
