/** Texts about the STT, LLM and TTS engine. */
import type { Messages } from "../../../i18n/language.ts";

export const messages = {
  "engine.embedded": { en: "built-in", lt: "vidinė", lv: "iebūvētā", ru: "встроенная" },
  "engine.one": {
    en: "Speech engine: {engine}",
    lt: "Kalbos sistema: {engine}",
    lv: "Runas sistēma: {engine}",
    ru: "Речевая система: {engine}",
  },
  "engine.parts": {
    en: "Speech to text: {stt} · answers: {llm} · speech: {tts}",
    lt: "Girdi: {stt} · atsako: {llm} · kalba: {tts}",
    lv: "Dzird: {stt} · atbild: {llm} · runā: {tts}",
    ru: "Слышит: {stt} · отвечает: {llm} · говорит: {tts}",
  },
  "engine.limits": {
    en: "What it can do",
    lt: "Ką ji gali",
    lv: "Ko tā spēj",
    ru: "Что она умеет",
  },
  "engine.hears_questions": {
    en: "It understands English questions about the content of the knowledge files, even in other words, and simple requests such as “repeat” or “a person, please”. If it does not know the answer, it says so and takes a message.",
    lt: "Angliškai supranta klausimus apie tai, kas parašyta žinių failuose, jūsų ar kitais žodžiais, ir paprastus prašymus, pavyzdžiui, pakartoti ar sujungti su žmogumi. Nežinodama atsakymo, tai pasako ir priima žinutę.",
    lv: "Angliski saprot jautājumus par to, kas rakstīts zināšanu failos, jūsu vai citiem vārdiem, un vienkāršus lūgumus, piemēram, atkārtot vai savienot ar cilvēku. Ja atbildi nezina, tā to pasaka un pieņem ziņu.",
    ru: "По-английски понимает вопросы о том, что написано в файлах знаний, вашими или другими словами, и простые просьбы: повторить, соединить с человеком. Если не знает ответа, говорит об этом и принимает сообщение.",
  },
  "engine.hears_keys": {
    en: "In this language the built-in engine speaks but does not understand speech: callers answer with keys, and it reads the menu out.",
    lt: "Šia kalba vidinė kalbos sistema kalba, bet šnekos nesupranta: skambinantieji atsako klavišais, o meniu ji perskaito.",
    lv: "Šajā valodā iebūvētā runas sistēma runā, bet runu nesaprot: zvanītāji atbild ar taustiņiem, un izvēlni tā nolasa.",
    ru: "На этом языке встроенная система говорит, но речь не понимает: звонящие отвечают клавишами, а меню она зачитывает.",
  },
  "engine.voice_failed": {
    en: "The file of this voice cannot be used, so the built-in voice speaks. The administrator can see why with “linevoice doctor”.",
    lt: "Šio balso failas netinka, todėl kalba vidinis balsas. Priežastį administratorius pamatys su „linevoice doctor“.",
    lv: "Šīs balss failu nevar izmantot, tāpēc runā iebūvētā balss. Iemeslu administrators redzēs ar “linevoice doctor”.",
    ru: "Файл этого голоса не подходит, поэтому говорит встроенный голос. Причину администратор увидит в «linevoice doctor».",
  },
  "engine.answers_from_files": {
    en: "It answers with the text of the knowledge files, takes messages and uses tools. It cannot talk freely and does not use the instructions: they are for a language model.",
    lt: "Atsako žinių failų žodžiais, priima žinutes ir naudoja įrankius. Laisvai nesišneka ir nurodymų neskaito: jie skirti kalbos modeliui.",
    lv: "Atbild ar zināšanu failu vārdiem, pieņem ziņas un lieto rīkus. Brīvi nesarunājas un norādes nelasa: tās ir valodas modelim.",
    ru: "Отвечает словами файлов знаний, принимает сообщения и пользуется инструментами. Свободно не беседует и указаний не читает: они для языковой модели.",
  },
  "engine.speaks_here": {
    en: "The server itself creates the voices: spoken texts do not leave it.",
    lt: "Balsai kuriami pačiame serveryje: ką ji sako, iš jo neišeina.",
    lv: "Balsis tiek veidotas pašā serverī: teiktais to neatstāj.",
    ru: "Голоса создаются на самом сервере: то, что она говорит, его не покидает.",
  },
  "engine.of_provider": {
    en: "{provider}: how well it knows this language depends on the models the operator chose. Talk to the agent to hear it.",
    lt: "{provider}: kaip gerai moka šią kalbą, priklauso nuo administratoriaus pasirinktų modelių. Pasikalbėkite su agentu ir išgirsite.",
    lv: "{provider}: cik labi prot šo valodu, atkarīgs no administratora izvēlētajiem modeļiem. Parunājiet ar aģentu un dzirdēsiet.",
    ru: "{provider}: насколько хорошо знает этот язык, зависит от моделей, которые выбрал администратор. Поговорите с агентом и услышите.",
  },
  "engine.fallback": {
    en: "If {first} fails, {next} takes over.",
    lt: "Sutrikus „{first}“, perima „{next}“.",
    lv: "Ja “{first}” nedarbojas, pārņem “{next}”.",
    ru: "При сбое «{first}» работу берёт на себя «{next}».",
  },
  "engine.takes_messages": {
    en: "If every provider fails, the built-in engine takes a message.",
    lt: "Sutrikus visoms paslaugoms, vidinė kalbos sistema priima žinutę.",
    lv: "Ja nedarbojas neviens pakalpojums, iebūvētā runas sistēma pieņem ziņu.",
    ru: "При сбое всех служб встроенная система принимает сообщение.",
  },
} as const satisfies Messages;
