/** Finds long functions in a source file. */
import ts from "typescript5";

const LINES_MAX = 60;

/** Functions, methods and closures of more than 60 lines. A nested function counts separately. */
export function longFunctionsOf(file: string, text: string): { line: number; lines: number }[] {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const found: { line: number; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const first = lineAt(node.getStart(source));
      const lines = lineAt(node.getEnd()) - first + 1;
      if (lines > LINES_MAX) found.push({ line: first + 1, lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
