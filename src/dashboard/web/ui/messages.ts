/** Texts of the controls which many pages share. */
import type { Messages } from "../i18n/language.ts";

export const messages = {
  "action.save": { en: "Save", lt: "Išsaugoti", lv: "Saglabāt", ru: "Сохранить" },
  "action.cancel": { en: "Cancel", lt: "Atšaukti", lv: "Atcelt", ru: "Отмена" },
  "action.close": { en: "Close", lt: "Užverti", lv: "Aizvērt", ru: "Закрыть" },
  "action.delete": { en: "Delete", lt: "Ištrinti", lv: "Dzēst", ru: "Удалить" },
  "action.edit": { en: "Edit", lt: "Keisti", lv: "Mainīt", ru: "Изменить" },
  "action.add": { en: "Add", lt: "Pridėti", lv: "Pievienot", ru: "Добавить" },
  "action.try_again": {
    en: "Try again",
    lt: "Bandyti dar kartą",
    lv: "Mēģināt vēlreiz",
    ru: "Повторить",
  },
  "action.more": { en: "More", lt: "Daugiau", lv: "Vairāk", ru: "Ещё" },
  "action.continue": { en: "Continue", lt: "Tęsti", lv: "Turpināt", ru: "Продолжить" },
  "action.remove": { en: "Remove", lt: "Pašalinti", lv: "Noņemt", ru: "Убрать" },
  "form.optional": { en: "optional", lt: "neprivaloma", lv: "nav obligāti", ru: "необязательно" },
  "form.saved": { en: "Saved.", lt: "Išsaugota.", lv: "Saglabāts.", ru: "Сохранено." },
  "pager.newer": { en: "Newer", lt: "Naujesni", lv: "Jaunāki", ru: "Новее" },
  "pager.older": { en: "Older", lt: "Senesni", lv: "Vecāki", ru: "Старее" },
  "toast.label": { en: "Notifications", lt: "Pranešimai", lv: "Paziņojumi", ru: "Уведомления" },
  "copy.action": { en: "Copy", lt: "Kopijuoti", lv: "Kopēt", ru: "Копировать" },
  "copy.done": { en: "Copied.", lt: "Nukopijuota.", lv: "Nokopēts.", ru: "Скопировано." },
  "copy.once": {
    en: "Store it now: it is shown once and cannot be read again.",
    lt: "Išsisaugokite dabar: rodoma vieną kartą ir vėliau perskaityti nebus galima.",
    lv: "Saglabājiet tagad: tiek rādīts vienreiz un vēlāk nav nolasāms.",
    ru: "Сохраните сейчас: показывается один раз, прочитать позже нельзя.",
  },
  "curl.action": {
    en: "Show as curl",
    lt: "Rodyti kaip curl",
    lv: "Rādīt kā curl",
    ru: "Показать как curl",
  },
  "curl.title": {
    en: "The same with curl",
    lt: "Tas pats su curl",
    lv: "Tas pats ar curl",
    ru: "То же с curl",
  },
  "curl.lead": {
    en: "Put an API key into LINEVOICE_KEY. What stands in the form now is sent.",
    lt: "Į LINEVOICE_KEY įrašykite API raktą. Siunčiama tai, kas dabar yra formoje.",
    lv: "Ierakstiet API atslēgu LINEVOICE_KEY. Tiek sūtīts tas, kas tagad ir veidlapā.",
    ru: "Запишите ключ API в LINEVOICE_KEY. Отправляется то, что сейчас в форме.",
  },
  "when.never": { en: "Never", lt: "Niekada", lv: "Nekad", ru: "Никогда" },
} satisfies Messages;
