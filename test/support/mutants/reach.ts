/** Which tests can reach a file of the program, nearest first: by the imports that exist at run time. */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export interface Reach {
  /** Tests of one file of `src`: the nearest, the other quick ones, those with real audio. May be empty. */
  stagesFor(file: string): readonly [near: string[], quick: string[], slow: string[]];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\s)[^"';]*?from\s+"(\.[^"]+)"|import\(\s*"(\.[^"]+)"\s*\)|new URL\(\s*"(\.[^"]+\.ts)"/g;

/** They judge the compiled program or the pages: a changed source does not reach them. */
const OUTSIDE = /^test\/(binary|browser|dashboard|integration\/cli|peer)\//;
const SLOW = /^test\/(scenario|integration\/(rtp|sip|speech|engine))\//;
/** Long by themselves; what they hold is held by quicker ones. */
const SOAKS = /(conversation-soak|simulation|storm|killed|disk-|torture|loss)\b/;

/** `root`: the project's folder. */
export async function createReach(root: string): Promise<Reach> {
  const files = await Array.fromAsync(new Bun.Glob("{src,test}/**/*.{ts,tsx}").scan({ cwd: root }));
  const direct = new Map<string, string[]>();
  for (const file of files) {
    const found = readFileSync(join(root, file), "utf8").matchAll(IMPORT);
    direct.set(
      file,
      [...found].map((match) =>
        normalize(join(dirname(file), match[1] ?? match[2] ?? match[3] ?? "")),
      ),
    );
  }
  /** File → imports away. */
  const distances = (from: string): Map<string, number> => {
    const seen = new Map([[from, 0]]);
    const queue = [from];
    for (let at = queue.shift(); at !== undefined; at = queue.shift())
      for (const next of direct.get(at) ?? [])
        if (!seen.has(next)) {
          seen.set(next, (seen.get(at) ?? 0) + 1);
          queue.push(next);
        }
    return seen;
  };
  const tests = files.filter((file) => file.endsWith(".test.ts") && !OUTSIDE.test(file)).sort();
  const reached = new Map(tests.map((test) => [test, distances(test)]));
  return {
    stagesFor(file) {
      const room = file.split("/")[1] ?? "";
      const near: string[] = [];
      const quick: string[] = [];
      const slow: string[] = [];
      for (const test of tests) {
        const distance = reached.get(test)?.get(file);
        if (distance === undefined || SOAKS.test(test)) continue;
        if (SLOW.test(test)) slow.push(test);
        else if (distance <= 2 || test.includes(`/${room}/`)) near.push(test);
        else quick.push(test);
      }
      return [near, quick, slow];
    },
  };
}
