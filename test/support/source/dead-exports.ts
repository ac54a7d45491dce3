/**
 * Finds exports that no other file imports. A name used only in its own file needs no export; an
 * unused name can be deleted.
 */
import { dirname, join, normalize } from "node:path";
import ts from "typescript5";

export interface DeadExport {
  readonly file: string;
  readonly name: string;
}

/** Names imported from a file; `*`: all of them (namespace, `export *`, `import()`). */
type Taken = Map<string, Set<string>>;

const parse = (file: string, text: string) =>
  ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );

/** The names that a file exports. */
function exportsOf(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause)
      return ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name }) => name.text)
        : [];
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [name.text] : name.elements.map((part) => part.getText(source)),
      );
    const { name } = statement as ts.Statement & { readonly name?: ts.Identifier };
    return name ? [name.text] : [];
  });
}

function noteTaken(file: string, source: ts.SourceFile, taken: Taken): void {
  const take = (specifier: ts.Node | undefined, names: readonly string[]) => {
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return;
    const path = normalize(join(dirname(file), specifier.text));
    const known = taken.get(path) ?? new Set();
    for (const name of names) known.add(name);
    taken.set(path, known);
  };
  const namesOf = (list: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]) =>
    list.map((one) => (one.propertyName ?? one.name).text);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      if (bindings && ts.isNamedImports(bindings))
        take(node.moduleSpecifier, namesOf([...bindings.elements]));
      else if (bindings) take(node.moduleSpecifier, ["*"]);
    } else if (ts.isExportDeclaration(node)) {
      const clause = node.exportClause;
      take(
        node.moduleSpecifier,
        clause && ts.isNamedExports(clause) ? namesOf([...clause.elements]) : ["*"],
      );
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      take(node.arguments[0], ["*"]);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      take(node.argument.literal, ["*"]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** `texts`: all files that may import. Only exports of files with `isOurs` true are checked. */
export function deadExports(
  texts: ReadonlyMap<string, string>,
  isOurs: (file: string) => boolean,
): DeadExport[] {
  const taken: Taken = new Map();
  const exported: [string, string[]][] = [];
  for (const [file, text] of texts) {
    const source = parse(file, text);
    noteTaken(file, source, taken);
    if (isOurs(file)) exported.push([file, exportsOf(source)]);
  }
  return exported.flatMap(([file, names]) => {
    const uses = taken.get(file);
    if (uses?.has("*")) return [];
    return names.filter((name) => !uses?.has(name)).map((name) => ({ file, name }));
  });
}
