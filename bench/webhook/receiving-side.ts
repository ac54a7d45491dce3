/** The receiving process of the webhook measurements, and the arrival times that it recorded. */
import type { Certificate } from "../../test/support/net/test-ca.ts";
import { firstLine } from "../http/first-line.ts";

export interface ReceivingSide {
  /** `https://host:port`; the paths are /healthy, /slow and /dead. */
  readonly base: string;
  /**
   * Ends the process. Returns the first arrival of each healthy delivery (ms since the epoch), by
   * call id.
   */
  arrivals(): Promise<Readonly<Record<string, number>>>;
  /** Ends the process without reading its results. */
  close(): Promise<void>;
}

export async function startReceivers(
  certificate: Certificate,
  host: string,
): Promise<ReceivingSide> {
  const program = new URL("./receivers.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, program, JSON.stringify(certificate), host], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = child.stdout.tee();
  const port = Number(await firstLine(output[0]));
  return {
    base: `https://${host}:${port}`,
    async arrivals() {
      await child.stdin.end();
      const text = await new Response(output[1]).text();
      return JSON.parse(text.slice(text.indexOf("\n") + 1));
    },
    async close() {
      child.kill();
      await child.exited;
    },
  };
}

/** Path of the endpoint at this index: troubled ones come first, alternately dead and slow. */
export const pathOf = (index: number, troubled: number): string =>
  index >= troubled ? "/healthy" : index % 2 === 0 ? "/dead" : "/slow";
