// A real browser: Debian's chromium, driven by playwright-core. Every page that is opened notes what went wrong in it
// and whom it asked; every picture is kept in a folder.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), '../node_modules');
const PLACES = ['chromium', 'chromium-browser', 'google-chrome'];

function found() {
  const folders = (process.env.PATH ?? '').split(':');
  return PLACES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
}

/** Ends the script with a clear word if there is no browser: a test that cannot run fails. */
export function requireBrowser() {
  const missing = ['playwright-core', 'axe-core', 'lit-html', 'uplot'].filter((name) => !existsSync(path.join(modules, name)));
  if (missing.length) {
    console.error('FAIL: npm packages of the end-to-end tests are not installed; run `make test`, or');
    console.error(`\`scripts/npm-deps tests/end_to_end\`. Missing: ${missing.join(', ')}`);
    process.exit(1);
  }
  if (found()) return;
  console.error('FAIL: there is no browser; install the Debian package chromium, or run `make install-deps`');
  process.exit(1);
}

/** The bytes of a file in an npm package. */
export const packaged = (name, file) => readFileSync(path.join(modules, name, file));

/** WCAG 2.2 at level AA, and what axe calls good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export class Browser {
  /** Pictures go to `folder`. */
  static async start(folder) {
    const { chromium } = await import('playwright-core');
    const browser = Object.assign(new Browser(), { folder });
    mkdirSync(folder, { recursive: true });
    // Root has no sandbox here; the pages are our own.
    const args = [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--hide-scrollbars', '--force-device-scale-factor=1'];
    browser.chromium = await chromium.launch({ executablePath: found(), args });
    browser.axe = packaged('axe-core', 'axe.min.js').toString();
    return browser;
  }

  stop() {
    return this.chromium.close();
  }

  /**
   * A page in a window of its own. `expected`: which words of the browser's console are no fault. `clock`: its time can be
   * put forward.
   */
  async open(url, { dark = false, width = 1280, height = 860, expected, clock = false } = {}) {
    const context = await this.chromium.newContext({
      viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const faults = [];
    const requests = [];
    page.on('console', (message) => {
      if (!expected?.test(message.text())) faults.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(error.stack ?? String(error)));
    page.on('request', (request) => requests.push(request.url()));
    await page.addInitScript(() => {
      globalThis.shifts = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts.push(entry.value);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    if (clock) await page.clock.install();
    await page.goto(url);
    return Object.assign(new Page(), { browser: this, context, page, faults, requests });
  }
}

export class Page {
  close() {
    return this.context.close();
  }

  /** The text of the heading, once it matches. */
  async heading(pattern = /./) {
    await this.page.waitForFunction(
      ([source, flags]) => {
        const heading = document.querySelector('main h1:not(.waiting)');
        return heading && new RegExp(source, flags).test(heading.textContent.trim());
      },
      [pattern.source, pattern.flags],
    );
    return (await this.page.locator('main h1').textContent()).trim();
  }

  /** When the browser painted something, in ms since it was sent here. */
  async firstContent() {
    // What is there may not have been painted yet.
    const ms = await this.page.evaluate(() => new Promise((done) => {
      new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') done(startTime);
      }).observe({ type: 'paint', buffered: true });
    }));
    return Math.round(ms);
  }

  /** Follows a link of the page itself, without loading it anew. */
  async go(hash, pattern) {
    await this.page.evaluate((to) => { location.hash = to; }, hash);
    const heading = await this.heading(pattern);
    // The way here was no movement of the page's own. Its last one is noted when the next frame has been shown.
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
      globalThis.shifts = [];
      done();
    }))));
    return heading;
  }

  /** Waits for words somewhere in the page. */
  says(text) {
    return this.page.getByText(text).first().waitFor();
  }

  /** Nothing was complained of, nobody but these origins was asked, and nothing has moved. */
  async assertCalm(...origins) {
    assert.deepEqual(this.faults, [], 'the browser complains');
    assert.deepEqual(this.requests.filter((url) => !origins.some((origin) => url.startsWith(`${origin}/`))), [], 'it asks others');
    const moved = await this.page.evaluate(() => globalThis.shifts.reduce((sum, value) => sum + value, 0));
    assert.ok(moved < 0.01, `things moved on their own by ${moved}`);
  }

  async assertAccessible(what) {
    await this.page.evaluate(`${this.browser.axe};undefined`);
    const violations = await this.page.evaluate(async (rules) => {
      const { violations: those } = await globalThis.axe.run(document, { runOnly: rules, resultTypes: ['violations'] });
      return those.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`).join('; ')}`);
    }, RULES);
    assert.deepEqual(violations, [], `${what} is not for everybody`);
  }

  /** Nothing sticks out at the side of the window. */
  async assertFits(what) {
    const [inner, outer] = await this.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(inner <= outer, `${what} is ${inner} wide in a window of ${outer}`);
  }

  picture(name) {
    return this.page.screenshot({ path: path.join(this.browser.folder, `${name}.png`) });
  }
}
