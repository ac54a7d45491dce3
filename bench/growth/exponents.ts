/**
 * How costs grow with the amount of work, as the exponent of a power law between the smallest and
 * the largest amount: 0 means constant, 1 linear. Uses CPU time.
 */
import { measureReads, PAGE_AFTER_PAGE } from "../http/reads.ts";
import { measureOurPacing } from "../media/pacing.ts";
import { measureStore } from "../store/costs.ts";

export interface Growth {
  readonly what: string;
  readonly amounts: readonly (number | string)[];
  /** CPU time at each amount, in `unit`. */
  readonly costs: readonly number[];
  readonly unit: string;
  readonly exponent: number;
}

const PACED_STREAMS = [50, 250] as const;
const GROWING = ["/tenant", "/calls?limit=25", `/calls?limit=25${PAGE_AFTER_PAGE}`];
const FEW = { tenants: 20, calls: 1_000 } as const;

export async function measureGrowth(full: boolean): Promise<Growth[]> {
  return [
    ...(full ? await ofStreams(10) : []),
    ...(full ? await ofReads([1_000, 1_000_000], 5) : []),
    ...(await ofStore(
      full ? { tenants: 10_000, calls: 1_000_000 } : { tenants: 2_000, calls: 50_000 },
    )),
  ];
}

async function ofStreams(seconds: number): Promise<Growth[]> {
  const costs = [];
  for (const streams of PACED_STREAMS) {
    const pacing = await measureOurPacing(streams, seconds);
    if (!pacing) return [];
    costs.push(pacing.cpuPercent);
  }
  return [growth("RTP streams", PACED_STREAMS, costs, "% of a core")];
}

async function ofReads(amounts: readonly number[], seconds: number): Promise<Growth[]> {
  const stored = new Map<string, number[]>();
  for (const callsStored of amounts)
    for (const { path, cpuMicroseconds = 0 } of await measureReads({
      callsStored,
      seconds,
      paths: GROWING,
    }))
      stored.set(path, [...(stored.get(path) ?? []), cpuMicroseconds]);
  return [...stored].map(([path, costs]) =>
    growth(`GET ${path} against calls stored`, amounts, costs, "µs a request"),
  );
}

/** Tenants and past calls grow together. The costs per call must stay constant. */
async function ofStore(many: { tenants: number; calls: number }): Promise<Growth[]> {
  await measureStore(FEW); // warm-up: the first run includes compilation
  const few = await measureStore(FEW);
  const large = await measureStore(many);
  const amounts = [FEW, many].map(({ tenants, calls }) => `${tenants} tenants, ${calls} calls`);
  return few.map(({ what, cpuMicroseconds }, index) => {
    const costs = [cpuMicroseconds, large[index]?.cpuMicroseconds ?? Number.NaN];
    const exponent = exponentOf([FEW.calls, many.calls], costs);
    return { what: `${what}, against the past`, amounts, costs, unit: "µs", exponent };
  });
}

function growth(
  what: string,
  amounts: readonly number[],
  costs: readonly number[],
  unit: string,
): Growth {
  return { what, amounts, costs, unit, exponent: exponentOf(amounts, costs) };
}

function exponentOf(amounts: readonly number[], costs: readonly number[]): number {
  const ratio = (values: readonly number[]) => (values.at(-1) ?? 1) / (values[0] || 1);
  return Math.log(ratio(costs)) / Math.log(ratio(amounts));
}

if (import.meta.main) console.table(await measureGrowth(process.argv.includes("--full")));
