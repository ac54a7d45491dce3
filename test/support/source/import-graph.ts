/**
 * The imports of `src` as a graph, including types. Uses the TypeScript parser, so that `import`,
 * `export … from`, `import()` and `import("…").Type` all count. Files are paths from the
 * repository's root.
 */
import { dirname, join, normalize } from "node:path";
import ts from "typescript5";

/** The project's files that `file` imports. */
export function importsOf(file: string, text: string): string[] {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  const found: string[] = [];
  const note = (node: ts.Node | undefined) => {
    if (node && ts.isStringLiteral(node) && node.text.startsWith("."))
      found.push(normalize(join(dirname(file), node.text)));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) note(node.moduleSpecifier);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      note(node.arguments[0]);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      note(node.argument.literal);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter((path) => path.startsWith("src/") && !path.includes("/dist/"));
}

/** Groups of nodes that reach one another (Tarjan), largest first; single nodes are omitted. */
export function cyclesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next))
        low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0, index.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const cycle = stack.splice(stack.indexOf(node));
    if (cycle.length > 1) cycles.push(cycle.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return cycles.sort((a, b) => b.length - a.length);
}
