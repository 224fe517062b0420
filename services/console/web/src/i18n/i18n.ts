import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en/en.ts";

export const languages = { en: "English", zh: "中文" } as const;
export type Language = keyof typeof languages;

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
  }
}

const storageKey = "console-language";

const isLanguage = (name: string | null | undefined): name is Language =>
  name != null && Object.hasOwn(languages, name);

/** The one that was chosen here, else the first of the browser's that there is. */
function preferred(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (isLanguage(chosen)) return chosen;
  const names = navigator.languages.map((name) => name.slice(0, 2));
  return names.find(isLanguage) ?? "en";
}

/** The language that is shown. */
export const language = (): Language => (isLanguage(i18next.language) ? i18next.language : "en");

/** English comes with the first script: waiting for it would be most visitors' wait. */
async function texts(language: Language): Promise<object> {
  return language === "zh" ? (await import("./zh/zh.ts")).zh : en;
}

/** Shows everything in a language, here and at the next visit. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  if (!i18next.hasResourceBundle(language, "translation"))
    i18next.addResourceBundle(language, "translation", await texts(language));
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

export async function startI18n(): Promise<void> {
  const lng = preferred();
  document.documentElement.lang = lng;
  await i18next.use(initReactI18next).init({
    lng,
    fallbackLng: false,
    resources: { [lng]: { translation: await texts(lng) } },
    interpolation: { escapeValue: false },
  });
}
