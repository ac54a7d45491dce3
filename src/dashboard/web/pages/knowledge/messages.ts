/** Texts of knowledge files. */
import type { Messages } from "../../i18n/language.ts";

export const messages = {
  "nav.knowledge": { en: "Knowledge", lt: "Žinios", lv: "Zināšanas", ru: "Знания" },
  "knowledge.lead": {
    en: "Files whose content agents treat as fact: prices, hours, rules, answers.",
    lt: "Failai, kurių turinį agentai laiko tiesa: kainos, darbo laikas, taisyklės, atsakymai.",
    lv: "Faili, kuru saturu aģenti uzskata par faktu: cenas, darba laiks, noteikumi, atbildes.",
    ru: "Файлы, содержание которых агенты считают фактом: цены, часы, правила, ответы.",
  },
  "knowledge.new": {
    en: "Add knowledge",
    lt: "Pridėti žinių",
    lv: "Pievienot zināšanas",
    ru: "Добавить знания",
  },
  "knowledge.empty": {
    en: "No knowledge yet",
    lt: "Žinių dar nėra",
    lv: "Zināšanu vēl nav",
    ru: "Знаний ещё нет",
  },
  "knowledge.empty_body": {
    en: "Upload .txt, .md, .csv or .json files of at most 500 KB, or write down what callers ask most.",
    lt: "Įkelkite .txt, .md, .csv ar .json failų iki 500 KB arba surašykite, ko dažniausiai klausia.",
    lv: "Augšupielādējiet .txt, .md, .csv vai .json failus līdz 500 KB vai pierakstiet, ko jautā visbiežāk.",
    ru: "Загрузите файлы .txt, .md, .csv или .json до 500 КБ или запишите, о чём спрашивают чаще всего.",
  },
  "knowledge.file": { en: "File", lt: "Failas", lv: "Fails", ru: "Файл" },
  "knowledge.filename": {
    en: "File name",
    lt: "Failo pavadinimas",
    lv: "Faila nosaukums",
    ru: "Имя файла",
  },
  "knowledge.filename_hint": {
    en: "Ends in .txt, .md, .csv or .json.",
    lt: "Baigiasi .txt, .md, .csv arba .json.",
    lv: "Beidzas ar .txt, .md, .csv vai .json.",
    ru: "Оканчивается на .txt, .md, .csv или .json.",
  },
  "knowledge.size": { en: "Size", lt: "Dydis", lv: "Lielums", ru: "Размер" },
  "knowledge.agents": { en: "Used by", lt: "Žino", lv: "Zina", ru: "Кто знает" },
  "knowledge.nobody": { en: "nobody yet", lt: "dar niekas", lv: "vēl neviens", ru: "пока никто" },
  "knowledge.changed": { en: "Changed", lt: "Pakeista", lv: "Mainīts", ru: "Изменён" },
  "knowledge.content": { en: "Content", lt: "Turinys", lv: "Saturs", ru: "Содержание" },
  "knowledge.choose": {
    en: "Choose a file",
    lt: "Pasirinkite failą",
    lv: "Izvēlieties failu",
    ru: "Выберите файл",
  },
  "knowledge.choose_hint": {
    en: "or write the content below",
    lt: "arba įrašykite turinį žemiau",
    lv: "vai uzrakstiet saturu zemāk",
    ru: "или напишите содержание ниже",
  },
  "knowledge.added": {
    en: "The file was added.",
    lt: "Failas pridėtas.",
    lv: "Fails ir pievienots.",
    ru: "Файл добавлен.",
  },
  "knowledge.for_agents": {
    en: "Agents that use it",
    lt: "Agentai, kurie tai žino",
    lv: "Aģenti, kas to zina",
    ru: "Агенты, которые это знают",
  },
  "knowledge.no_agents": {
    en: "There are no agents yet.",
    lt: "Agentų dar nėra.",
    lv: "Aģentu vēl nav.",
    ru: "Агентов ещё нет.",
  },
  "knowledge.delete_body": {
    en: "Agents stop using it from the next call.",
    lt: "Agentai tai pamirš nuo kito skambučio.",
    lv: "Aģenti to aizmirsīs no nākamā zvana.",
    ru: "Агенты забудут это со следующего звонка.",
  },
} satisfies Messages;
