/** The search of the documentation site, its theme, and the menu of pages on wide screens. */
import MiniSearch from "minisearch";

interface Entry {
  readonly id: number;
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

const RESULTS_MAX = 12;
const input = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLUListElement>("#results");
let index: Promise<MiniSearch<Entry>> | null = null;

async function loadIndex(): Promise<MiniSearch<Entry>> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`The search index is not there: ${response.status}`);
  const search = new MiniSearch<Entry>({
    fields: ["heading", "page", "text"],
    storeFields: ["url", "page", "heading"],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: true,
      fuzzy: 0.15,
      combineWith: "AND",
    },
  });
  search.addAll(await response.json());
  return search;
}

function resultItem({ url, page, heading }: Pick<Entry, "url" | "page" | "heading">): HTMLElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = url;
  link.textContent = heading;
  const where = document.createElement("span");
  where.textContent = page;
  link.append(where);
  item.append(link);
  return item;
}

async function show(): Promise<void> {
  if (!input || !list) return;
  const wanted = input.value.trim();
  if (wanted === "") {
    list.hidden = true;
    return;
  }
  index ??= loadIndex();
  const found = (await index).search(wanted).slice(0, RESULTS_MAX);
  if (wanted !== input.value.trim()) return;
  const nothing = document.createElement("li");
  nothing.textContent = "Nothing found.";
  const items = found.map(({ url, page, heading }) => resultItem({ url, page, heading }));
  list.replaceChildren(...(items.length > 0 ? items : [nothing]));
  list.hidden = false;
}

input?.addEventListener("input", () => {
  show().catch(() => {
    index = null; // loaded again at the next keystroke
  });
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && list) list.hidden = true;
  if (event.key === "/" && !(event.target instanceof HTMLInputElement)) {
    event.preventDefault();
    input?.focus();
  }
});
list?.addEventListener("click", () => {
  list.hidden = true;
});

const chosen = localStorage.getItem("linevoice.theme");
if (chosen === "dark" || chosen === "light") document.documentElement.style.colorScheme = chosen;

const menu = document.querySelector<HTMLDetailsElement>("details.menu");
const wide = matchMedia("(min-width: 60rem)");
const open = () => {
  if (menu) menu.open = wide.matches;
};
wide.addEventListener("change", open);
open();
