import { en } from "@uag/console-web/i18n/en";
import { zh } from "@uag/console-web/i18n/zh";
import { samplePicture } from "@uag/e2e/console/picture";
import { receipts } from "./receipts.ts";
import type { Page } from "./sign-in.ts";

/** The console's texts, which locate its buttons and fields in any language. */
export const languages = { en: { texts: en, locale: "en-US" }, zh: { texts: zh, locale: "zh-CN" } } as const;
export type Texts = (typeof languages)[keyof typeof languages]["texts"];

/** A state of a page after an action. */
export interface State {
  readonly name: string;
  readonly path: string;
  /** It changes the fleet permanently, so it requires one that is removed afterwards. */
  readonly isLasting?: true;
  reach(page: Page, texts: Texts): Promise<void>;
}

const dollars = /^\$\d+\.\d+$/;

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).first().click();
}

async function pressInDialog(page: Page, name: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("dialog").getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option }).first().click();
}

/** Paints a stroke over part of the image. */
async function paint(page: Page): Promise<void> {
  const box = await page.locator("canvas[role=img]").boundingBox();
  if (box === null) throw new Error("The canvas is missing.");
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.4);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5, { steps: 8 });
  await page.mouse.up();
}

const playground: readonly State[] = [
  {
    name: "playground-chat",
    path: "playground?models=gpt-4o-mini,claude-sonnet-4-6,gemini-2.5-flash",
    async reach(page, { playground }) {
      await page.getByLabel(playground.message, { exact: true }).fill("Which of our plans includes single sign-on?");
      await page.keyboard.press("Enter");
      await page.getByText(dollars).nth(2).waitFor();
    },
  },
  {
    name: "playground-chat-tools",
    path: "playground?models=gpt-4o-mini",
    async reach(page, { playground }) {
      const parameters = { type: "object", properties: { city: { type: "string" } } };
      const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
      await page.getByLabel(playground.tools).fill(JSON.stringify(tools, null, 2));
      await page.locator("input[type=file]").setInputFiles(await samplePicture());
      await page.getByLabel(playground.message, { exact: true }).fill("How is the weather in Paris?");
      await page.keyboard.press("Enter");
      await page.getByText(dollars).first().waitFor();
      await page.locator("input[type=file]").setInputFiles(await samplePicture());
    },
  },
  {
    name: "playground-images",
    path: "playground?mode=images",
    async reach(page, { playground }) {
      await page.getByLabel(playground.prompt).fill("A lighthouse at dusk");
      await press(page, playground.make);
      await page.getByText(dollars).first().waitFor();
    },
  },
  {
    name: "playground-edit",
    path: "playground?mode=edit",
    async reach(page) {
      await page.locator("input[type=file]").setInputFiles(await samplePicture());
      await paint(page);
    },
  },
  {
    name: "playground-edited",
    path: "playground?mode=edit",
    async reach(page, { playground }) {
      await page.locator("input[type=file]").setInputFiles(await samplePicture());
      await paint(page);
      await page.getByLabel(playground.prompt).fill("A red buoy on the water");
      await press(page, playground.edit);
      await page.getByText(dollars).first().waitFor();
    },
  },
  {
    name: "playground-speech",
    path: "playground?mode=speech",
    async reach(page, { playground }) {
      await page.getByLabel(playground.text, { exact: true }).fill("Your order is on its way.");
      await press(page, playground.speak);
      await page.getByText(dollars).first().waitFor();
    },
  },
  {
    name: "playground-video",
    path: "playground?mode=video",
    async reach(page, { playground }) {
      await page.getByLabel(playground.prompt).fill("Waves on a beach in the evening");
      await press(page, playground.film);
      await page.locator("video").waitFor();
    },
  },
  {
    name: "playground-embeddings",
    path: "playground?mode=embeddings",
    async reach(page, { playground }) {
      await page.getByLabel(playground.first).fill("The cat sat on the mat.");
      await page.getByLabel(playground.second).fill("A cat was sitting on a rug.");
      await press(page, playground.compare);
      await page.getByText(dollars).first().waitFor();
    },
  },
  {
    name: "playground-as-code",
    path: "playground?models=gpt-4o-mini",
    async reach(page, { playground }) {
      await page.getByLabel(playground.message, { exact: true }).fill("Which of our plans includes single sign-on?");
      await press(page, playground.code);
      await page.getByRole("tab", { name: "JavaScript" }).click();
    },
  },
];

const alert = (kind: "spend" | "budget" | "balance"): State => ({
  name: `billing-alert-${kind}`,
  path: "billing",
  async reach(page, { billing }) {
    await press(page, billing.newAlert);
    await choose(page, billing.alertForm.kind, billing.alertForm.kinds[kind]);
  },
});

const ofMoney: readonly State[] = [
  alert("spend"),
  alert("budget"),
  alert("balance"),
  {
    name: "billing-budget",
    path: "billing",
    reach: (page, { billing }) => press(page, billing.shared.new),
  },
  {
    name: "billing-envelope",
    path: "billing",
    reach: (page) => page.getByText("Market research").click(),
  },
  {
    name: "billing-envelope-close",
    path: "billing",
    async reach(page, { envelopes }) {
      await page.getByText("Market research").click();
      await pressInDialog(page, envelopes.close.button);
    },
  },
  {
    name: "billing-envelopes-ended",
    path: "billing?envelopes=ended",
    reach: (page) => page.getByText("Translation").waitFor(),
  },
  {
    name: "billing-top-up",
    path: "billing",
    reach: (page, { billing }) => press(page, billing.topUp),
  },
  {
    name: "unpriced-repair",
    path: "unpriced",
    reach: (page) => page.locator("tbody tr[tabindex]").first().click(),
  },
];

const ofReceipts = Object.entries(receipts).map(
  ([name, id]): State => ({
    name: `usage-receipt-${name}`,
    path: `usage?id=${id}`,
    reach: (page) => page.locator("tbody tr[tabindex]").first().click(),
  }),
);

const ofKeys: readonly State[] = [
  { name: "keys-create", path: "keys", reach: (page, { keys }) => press(page, keys.create) },
  {
    name: "keys-created",
    path: "keys",
    isLasting: true,
    async reach(page, { keys }) {
      await press(page, keys.create);
      await page.getByRole("dialog").getByLabel(keys.form.name, { exact: true }).fill("laptop");
      await pressInDialog(page, keys.form.submit);
      await page.getByLabel(keys.made.key, { exact: true }).waitFor();
    },
  },
  ...(["edit", "regenerate", "revoke"] as const).map(
    (action): State => ({
      name: `keys-${action}`,
      path: "keys?q=production",
      async reach(page, { keys }) {
        await page.locator("tbody tr[tabindex]").first().click();
        await pressInDialog(page, keys.details[action]);
      },
    }),
  ),
];

const ofPeople: readonly State[] = [
  { name: "members-invite", path: "members", reach: (page, { members }) => press(page, members.invite) },
  {
    name: "members-link",
    path: "members",
    isLasting: true,
    async reach(page, { members }) {
      await press(page, members.invite);
      await page.getByRole("dialog").getByLabel(members.form.email).fill("ada.lovelace@example.com");
      await pressInDialog(page, members.form.submit);
      await page.getByLabel(members.link).waitFor();
    },
  },
  {
    name: "members-invited",
    path: "members",
    isLasting: true,
    async reach(page, { members, common }) {
      await press(page, members.invite);
      await page.getByRole("dialog").getByLabel(members.form.email).fill("alan.turing@example.com");
      await pressInDialog(page, members.form.submit);
      await pressInDialog(page, common.done);
      await page.getByText("alan.turing@example.com").waitFor();
    },
  },
  {
    name: "invitation",
    path: "members",
    isLasting: true,
    async reach(page, { members }) {
      await press(page, members.invite);
      await page.getByRole("dialog").getByLabel(members.form.email).fill("grace.hopper@example.com");
      await pressInDialog(page, members.form.submit);
      await page.goto(await page.getByLabel(members.link).inputValue());
      await page.locator("input[autocomplete=new-password]").waitFor();
    },
  },
];

export const states: readonly State[] = [
  ...playground,
  ...ofMoney,
  ...ofReceipts,
  ...ofKeys,
  ...ofPeople,
  {
    name: "models-compare",
    path: "models?compare=gpt-4o-mini,claude-sonnet-4-6,gemini-2.5-flash",
    reach: (page, { models }) => press(page, models.compare.replace("{{count}}", "3")),
  },
  { name: "accounts-create", path: "accounts", reach: (page, { accounts }) => press(page, accounts.create) },
  {
    name: "accounts-edit",
    path: "accounts",
    reach: (page, { accounts }) =>
      page
        .getByRole("button", { name: `${accounts.edit}: ` })
        .first()
        .click(),
  },
  {
    name: "user-menu",
    path: "keys",
    reach: (page, { shell }) => page.getByRole("button", { name: shell.user.split("{{")[0] ?? "" }).click(),
  },
];
