import { PROGRAM } from "./program.ts";

export async function runCli(cwd: string, args: string, stdin = "") {
  const child = Bun.spawn([...PROGRAM, ...args.split(" ").filter(Boolean)], {
    cwd,
    env: { PATH: process.env.PATH ?? "" },
    stdin: Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, err, status };
}
