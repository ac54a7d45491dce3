/**
 * Places in the domain where a small change of the program must make a test fail: an operator, a
 * limit, a condition, a default. Found in the syntax tree, so that comments, types and texts stay
 * unchanged.
 */
import { basename } from "node:path";
import ts from "typescript5";
import { isEquivalent } from "./equivalent.ts";
import { constantOf } from "./uses.ts";

export interface Site {
  /** Path from the project's root. */
  readonly file: string;
  readonly line: number;
  readonly kind: "operator" | "bound" | "condition" | "default";
  /** Offset in the file's text. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** The line without leading and trailing spaces. */
  readonly lineText: string;
  /** Offset of the place in `lineText`. */
  readonly offset: number;
  /** Top-level constant that contains this place; null if a function contains it. */
  readonly constant: string | null;
}

/** The part of a place that the change itself determines. */
type Change = Omit<Site, "file" | "line" | "lineText" | "offset" | "constant">;

const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
};

/** Log and error texts are not behaviour of a call. */
const TOLD_ONLY = /\b(log|logger|metrics|trace)\b|describeError|AppError|Error\(/;
const LOGS = /^(this\.)?(options\.|context\.|deps\.|#)?(log|logger|metrics)\./;

/** Whether the statement only writes to the log. */
function logsOnly(statement: ts.Statement, source: ts.SourceFile): boolean {
  if (ts.isBlock(statement)) return statement.statements.every((part) => logsOnly(part, source));
  if (ts.isIfStatement(statement)) return decidesLogOnly(statement, source);
  return ts.isExpressionStatement(statement) && LOGS.test(statement.expression.getText(source));
}

const decidesLogOnly = (statement: ts.IfStatement, source: ts.SourceFile): boolean =>
  logsOnly(statement.thenStatement, source) &&
  (statement.elseStatement === undefined || logsOnly(statement.elseStatement, source));

/**
 * Whether the node is part of a logged or thrown text, or of a condition that only decides whether
 * to log.
 */
function isToldOnly(node: ts.Node, source: ts.SourceFile): boolean {
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (ts.isIfStatement(at) && decidesLogOnly(at, source)) return true;
    if (ts.isCallExpression(at) || ts.isNewExpression(at)) {
      if (TOLD_ONLY.test(`${at.expression.getText(source)}(`)) return true;
    }
  }
  return false;
}

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** Concatenation of texts is not arithmetic. */
const joinsTexts = (node: ts.BinaryExpression): boolean =>
  isText(node.left) ||
  isText(node.right) ||
  (ts.isBinaryExpression(node.left) && joinsTexts(node.left));

/** `samples[index]` in `for (…; index < samples.length; …)`: the default is never used. */
function isWithinBounds(node: ts.Node, source: ts.SourceFile): boolean {
  if (!ts.isElementAccessExpression(node)) return false;
  const [array, index] = [node.expression, node.argumentExpression].map((part) =>
    part.getText(source),
  );
  for (let at: ts.Node = node; at; at = at.parent)
    if (ts.isForStatement(at) && at.condition?.getText(source) === `${index} < ${array}.length`)
      return true;
  return false;
}

function changeOf(node: ts.Node, source: ts.SourceFile): Change | null {
  const replace = (target: ts.Node, after: string, kind: Site["kind"]): Change => ({
    kind,
    after,
    before: target.getText(source),
    start: target.getStart(source),
    end: target.getEnd(),
  });
  if (ts.isBinaryExpression(node)) {
    const sign = node.operatorToken.getText(source);
    const other = OPERATORS[sign];
    if (other !== undefined && !(sign === "+" && joinsTexts(node)))
      return replace(node.operatorToken, other, "operator");
    if (sign === "??" && ts.isNumericLiteral(node.right) && !isWithinBounds(node.left, source))
      return replace(node.right, `${node.right.getText(source)} + 7`, "default");
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const test = ts.isIfStatement(node) ? node.expression : node.condition;
    return replace(test, `!(${test.getText(source)})`, "condition");
  }
  if (ts.isNumericLiteral(node) && !ts.isElementAccessExpression(node.parent)) {
    const value = Number(node.text);
    if (value > 1 && Number.isInteger(value))
      return replace(node, `(${node.getText(source)} ${value < 1000 ? "+ 1" : "* 2"})`, "bound");
  }
  // A signal aborts only once, so `once` makes no difference.
  if (ts.isPropertyAssignment(node) && node.name.getText(source) === "once") return null;
  const isDefault =
    ts.isPropertyAssignment(node) || (ts.isParameter(node) && node.initializer !== undefined);
  if (isDefault && node.initializer) {
    if (node.initializer.kind === ts.SyntaxKind.TrueKeyword)
      return replace(node.initializer, "false", "default");
    if (node.initializer.kind === ts.SyntaxKind.FalseKeyword)
      return replace(node.initializer, "true", "default");
  }
  return null;
}

/** Every place of one file, in order. */
export function sitesOf(file: string, text: string): Site[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const rows = text.split("\n");
  const found: Site[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    const change = changeOf(node, source);
    if (change && !isToldOnly(node, source)) {
      const { line, character } = source.getLineAndCharacterOfPosition(change.start);
      const row = rows[line] ?? "";
      const place = { file, line: line + 1, offset: character - row.search(/\S/) };
      const site = { ...place, lineText: row.trim(), constant: constantOf(node), ...change };
      if (!isEquivalent(site)) found.push(site);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * Identifies a place without its folder and line number, so that the same places are selected after
 * files move or grow: file name, line text and its index among equal lines.
 */
function namesOf(sites: readonly Site[]): Map<Site, string> {
  const seen = new Map<string, number>();
  return new Map(
    sites.map((site) => {
      const { file, kind, lineText, before, after } = site;
      const name = [basename(file), kind, lineText, before, after].join("\0");
      const nth = seen.get(`${file}\0${name}`) ?? 0;
      seen.set(`${file}\0${name}`, nth + 1);
      return [site, `${name}\0${nth}`];
    }),
  );
}

/**
 * Returns `count` places, at most `perFileMax` per file, evenly over the kinds as far as possible.
 */
export function chooseSites(
  sites: readonly Site[],
  { count, perFileMax, seed }: { count: number; perFileMax: number; seed: number },
): Site[] {
  const shuffled = [...namesOf(sites)]
    .map(([site, name]) => ({ site, at: Bun.hash(`${seed}\0${name}`) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ site }) => site);
  const chosen: Site[] = [];
  const perFile = new Map<string, number>();
  const kinds = ["operator", "bound", "condition", "default"] as const;
  const queues = kinds.map((kind) => shuffled.filter((site) => site.kind === kind));
  while (chosen.length < count && queues.some((queue) => queue.length > 0))
    for (const queue of queues) {
      const site = queue.shift();
      if (!site || chosen.length >= count) continue;
      const taken = perFile.get(site.file) ?? 0;
      if (taken >= perFileMax) continue;
      perFile.set(site.file, taken + 1);
      chosen.push(site);
    }
  return chosen;
}
