const flash = (
  "Cherry,Serena,Ethan,Chelsie,Momo,Vivian,Moon,Maia,Kai,Nofish,Bella,Jennifer,Ryan,Katerina,Aiden,Eldric Sage,Mia," +
  "Mochi,Bellona,Vincent,Bunny,Neil,Elias,Arthur,Nini,Seren,Pip,Stella,Jada,Dylan,Li,Marcus,Roy,Peter,Sunny,Eric," +
  "Rocky,Kiki"
).split(",");
const instruct = flash.slice(0, 26);

/** The voices of a speech model. */
export function voicesOf(model: string): readonly string[] {
  return model.includes("instruct") ? instruct : flash;
}

const wide = /[\p{Script=Han}]/u;

/** Characters as charged: a Han ideograph counts two, every other code point one. */
export function chargedCharacters(text: string): number {
  let characters = 0;
  for (const character of text) characters += wide.test(character) ? 2 : 1;
  return characters;
}
