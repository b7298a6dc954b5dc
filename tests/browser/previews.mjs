/**
 * Draws the pictures that links show where they are posted, one for each game: part of `npm run pictures`.
 */
import { mkdir } from "node:fs/promises";
import { open } from "./harness/browser.mjs";
import { ROOT, serve } from "./harness/server.mjs";

const FOLDER = `${ROOT}server/web/previews/`;
/** The size that sites which show links ask for. */
const [WIDTH, HEIGHT] = [1200, 630];

/** The moves of the ship of the examples, which its boards show as lit squares. */
const SHIP = ["ship {a..f}6@3", "ship g{1..5}@3", "ship g6@{1..2}"];

const STYLE = `
  .link-preview {
    position: fixed; inset: 0; z-index: 99; display: grid; grid-template: auto minmax(0, 1fr) auto / 100%;
    gap: 12px; padding: 44px 56px; background: radial-gradient(circle at 50% 50%, var(--bg-glow), var(--bg) 75%);
  }
  .link-preview > h1 { margin: 0; font-size: 60px; line-height: 1.1 }
  .link-preview > p { margin: 0; font-size: 30px; color: var(--accent); font-weight: 650; text-align: end }
  .link-preview .frame { display: grid; place-items: center; min-height: 0 }
  .link-preview .frame:has(.stack):not(:has(.sum)) { margin-block: -60px -40px }
  .link-preview .game-picture { border: 0; padding: 0; background: none; min-height: 0; min-width: 300px }
  .link-preview .cockpit { width: 900px; height: 430px; overflow: visible }
  .link-preview .cockpit > .stack { height: 430px; overflow: visible }
  .link-preview .cockpit:not(:has(.stack)) { width: 420px; height: auto }
  .link-preview .cockpit.of-3 .dial { width: 200px }
  .link-preview .cockpit.of-3 .tank { width: 84px }
  .link-preview .sum { zoom: 1; width: 1088px }
  .link-preview .sum .cockpit { width: 100%; height: 240px }
  .link-preview .sum .cockpit > .stack { height: 240px }
  .link-preview .sum .dial, .link-preview .sum .cockpit.of-3 .dial { width: 80px }
  .link-preview .sum .cockpit.of-3 .tank { width: 36px }
`;

const server = await serve({ options: ["--web", `${ROOT}server/web`] });
const browser = await open();
const games = await (await fetch(`${server.base}/api/games`)).json();
const { page, clean } = await browser.newUser(server, { width: WIDTH, height: HEIGHT });
await mkdir(FOLDER, { recursive: true });
await page.goto("/");
for (const game of games) {
  await page.evaluate(
    async ({ game, style, ship }) => {
      const [{ still }, { picture }, { LegalMoves }] = await Promise.all([
        import("/page/now/pictures/picture.js"),
        import("/page/now/pictures/pictures.js"),
        import("/page/now/play/legal_moves.js"),
      ]);
      document.querySelector(".link-preview")?.remove();
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets = [sheet];
      const card = document.createElement("div");
      card.className = "link-preview";
      card.innerHTML = `<h1></h1><div class="frame"><div class="game-picture"></div></div><p></p>`;
      card.querySelector("h1").textContent = game.title;
      card.querySelector("p").textContent = game.title === "Fib Fob" ? "The last move wins" : "Fib Fob";
      document.body.append(card);
      const drawn = picture(game.id);
      card.querySelector(".game-picture").append(drawn.element);
      drawn.update(still(game.example, { legal: new LegalMoves(game.example.startsWith("g6@3") ? ship : []) }));
      const frame = card.querySelector(".frame");
      const shown = frame.firstElementChild;
      const fit = Math.min(frame.clientWidth / shown.scrollWidth, frame.clientHeight / shown.scrollHeight);
      shown.style.scale = fit * 0.96;
    },
    { game, style: STYLE, ship: SHIP },
  );
  await page.screenshot({ path: `${FOLDER}${game.id}.jpg`, type: "jpeg", quality: 68 });
}
await clean();
await browser.close();
await server.stop();
