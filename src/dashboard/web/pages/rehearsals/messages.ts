/** Texts of the page of rehearsals. */
import type { Messages } from "../../i18n/language.ts";

export const messages = {
  "nav.rehearsals": { en: "Rehearsals", lt: "Repeticijos", lv: "Mēģinājumi", ru: "Репетиции" },
  "rehearsals.lead": {
    en: "Call an agent before callers do. Nothing is charged, mailed or counted.",
    lt: "Paskambinkite agentui anksčiau nei skambintojai. Niekas neapmokestinama, nesiunčiama ir neskaičiuojama.",
    lv: "Piezvaniet aģentam pirms zvanītājiem. Nekas netiek iekasēts, sūtīts vai skaitīts.",
    ru: "Позвоните агенту раньше клиентов. Ничего не списывается, не отправляется и не учитывается.",
  },
  "rehearsals.new": { en: "Rehearse", lt: "Repetuoti", lv: "Mēģināt", ru: "Репетировать" },
  "rehearsals.agent": { en: "Agent", lt: "Agentas", lv: "Aģents", ru: "Агент" },
  "rehearsals.of_draft": {
    en: "Its draft instead of the published version",
    lt: "Juodraštis vietoj paskelbtos versijos",
    lv: "Melnraksts publicētās versijas vietā",
    ru: "Черновик вместо опубликованной версии",
  },
  "rehearsals.draft": { en: "draft", lt: "juodraštis", lv: "melnraksts", ru: "черновик" },
  "rehearsals.version": {
    en: "version {number}",
    lt: "{number} versija",
    lv: "{number}. versija",
    ru: "версия {number}",
  },
  "rehearsals.own_agent": {
    en: "The suite's own agent",
    lt: "Rinkinio agentas",
    lv: "Komplekta aģents",
    ru: "Агент из набора",
  },
  "rehearsals.suite": { en: "Suite", lt: "Rinkinys", lv: "Komplekts", ru: "Набор" },
  "rehearsals.written": {
    en: "Scenarios written here",
    lt: "Čia parašyti scenarijai",
    lv: "Šeit rakstīti scenāriji",
    ru: "Сценарии, написанные здесь",
  },
  "rehearsals.scenarios": { en: "Scenarios", lt: "Scenarijai", lv: "Scenāriji", ru: "Сценарии" },
  "rehearsals.scenarios_hint": {
    en: "YAML, several separated by a line of three dashes.",
    lt: "YAML; keli atskiriami trijų brūkšnelių eilute.",
    lv: "YAML; vairākus atdala rinda ar trim domuzīmēm.",
    ru: "YAML; несколько разделяются строкой из трёх дефисов.",
  },
  "rehearsals.started": {
    en: "The rehearsal has begun.",
    lt: "Repeticija prasidėjo.",
    lv: "Mēģinājums sākās.",
    ru: "Репетиция началась.",
  },
  "rehearsals.empty": {
    en: "No rehearsals yet",
    lt: "Repeticijų dar nėra",
    lv: "Mēģinājumu vēl nav",
    ru: "Репетиций ещё нет",
  },
  "rehearsals.empty_body": {
    en: "Choose a suite and see which turn goes wrong before a caller does.",
    lt: "Pasirinkite rinkinį ir pamatykite klaidą anksčiau nei skambintojas.",
    lv: "Izvēlieties komplektu un pamaniet kļūdu pirms zvanītāja.",
    ru: "Выберите набор и увидите ошибку раньше клиента.",
  },
  "rehearsals.runs": { en: "Runs", lt: "Vykdymai", lv: "Izpildes", ru: "Запуски" },
  "rehearsals.when": { en: "When", lt: "Kada", lv: "Kad", ru: "Когда" },
  "rehearsals.result": { en: "Result", lt: "Rezultatas", lv: "Rezultāts", ru: "Результат" },
  "rehearsals.running": { en: "Running", lt: "Vyksta", lv: "Notiek", ru: "Идёт" },
  "rehearsals.passed": {
    en: "{passed} of {all} passed",
    lt: "Pavyko {passed} iš {all}",
    lv: "Izdevās {passed} no {all}",
    ru: "Успешно {passed} из {all}",
  },
  "rehearsals.ok": { en: "Passed", lt: "Pavyko", lv: "Izdevās", ru: "Успешно" },
  "rehearsals.failed": { en: "Failed", lt: "Nepavyko", lv: "Neizdevās", ru: "Ошибка" },
  "rehearsals.expected": {
    en: "Expected: {expected}. Found: {found}",
    lt: "Tikėtasi: {expected}. Rasta: {found}",
    lv: "Gaidīts: {expected}. Atrasts: {found}",
    ru: "Ожидалось: {expected}. Оказалось: {found}",
  },
  "rehearsals.customer": { en: "Caller", lt: "Skambintojas", lv: "Zvanītājs", ru: "Клиент" },
} satisfies Messages;
