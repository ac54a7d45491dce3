/** Data that the measured process sends to the generators, and constants that both use. */
export const BENCH_HOST = process.env.LINEVOICE_BENCH_HOST ?? "127.0.43.1";
/** Source ports of the appliance's audio. */
export const RTP_PORTS = { first: 22_000, last: 23_999 } as const;

export interface CallTarget {
  readonly base: string;
  readonly key: string;
  readonly carrier: { readonly host: string; readonly port: number };
  readonly pid: number;
}

export const callerNumber = (index: number): string => `+3706${String(2_000_000 + index)}`;
