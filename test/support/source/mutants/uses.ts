/**
 * Finds the lines affected by a change. A change in a function affects only the function. A
 * constant is evaluated wherever its file is imported, so a change in it affects the places that
 * use its name, or the name of a constant derived from it.
 */
import ts from "typescript5";

export interface Place {
  readonly file: string;
  readonly line: number;
}

interface Mention extends Place {
  /** The derived constant; null: a function, or code that runs when the file is loaded. */
  readonly within: string | null;
}

/** The top-level constant that contains the node; null if there is none. */
export function constantOf(node: ts.Node): string | null {
  let name: string | null = null;
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (ts.isFunctionLike(at) || ts.isClassLike(at)) return null;
    if (ts.isVariableDeclaration(at) && ts.isIdentifier(at.name)) name = at.name.text;
  }
  return name;
}

const isOwnName = (node: ts.Identifier): boolean =>
  ts.isVariableDeclaration(node.parent) && node.parent.name === node;

/** `sources`: text of every file of the program, by path. */
export function createUses(sources: ReadonlyMap<string, string>) {
  const mentions = new Map<string, Mention[]>();
  for (const [file, text] of sources) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
        return;
      if (ts.isIdentifier(node) && !isOwnName(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        const mention = { file, line: line + 1, within: constantOf(node) };
        const known = mentions.get(node.text);
        if (known) known.push(mention);
        else mentions.set(node.text, [mention]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  const isExported = (name: string, file: string) =>
    new RegExp(`^export const ${name}\\b`, "m").test(sources.get(file) ?? "");

  function usesOf(name: string, file: string, seen: Set<string>): Place[] {
    if (seen.has(`${file} ${name}`)) return [];
    seen.add(`${file} ${name}`);
    const everywhere = isExported(name, file);
    return (mentions.get(name) ?? [])
      .filter((mention) => everywhere || mention.file === file)
      .flatMap((mention) =>
        mention.within === null
          ? [{ file: mention.file, line: mention.line }]
          : usesOf(mention.within, mention.file, seen),
      );
  }

  return {
    placesOf({ constant, file, line }: Place & { readonly constant: string | null }): Place[] {
      const places = constant === null ? [] : usesOf(constant, file, new Set());
      return places.length > 0 ? places : [{ file, line }];
    },
  };
}
