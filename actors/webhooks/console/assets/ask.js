// Questions and secrets, each in a dialog that has the page to itself. Closing it gives the focus back to where it was.
import { html, render } from './vendor/lit-html.js';
import { plain } from './text.js';

const dialog = document.getElementById('ask');
let end = () => {};

dialog.addEventListener('close', () => {
  const over = end;
  end = () => {};
  // A secret is not in the page any longer than it is shown.
  render(html``, dialog);
  over(dialog.returnValue === 'yes');
});

function show(content) {
  render(content, dialog);
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((done) => (end = done));
}

const answer = (value) => () => dialog.close(value);

/** Resolves to whether it is to be done. What is safe has the focus. */
export const confirmed = (title, text, word) =>
  show(
    html`<div class="ask">
      <h2 id="ask-title">${title}</h2>
      <p>${text}</p>
      <p class="bar"><button type="button" autofocus @click=${answer('no')}>Cancel</button><button type="button" class="danger" @click=${answer('yes')}>${word}</button></p>
    </div>`,
  );

/** Shows a secret, once: there is no way to see it again. */
export function showSecret(secret, title, text) {
  const copy = async ({ target }) => {
    const field = dialog.querySelector('output');
    try {
      await navigator.clipboard.writeText(secret);
      target.textContent = 'Copied';
    } catch {
      // Without https there is no clipboard: it is marked, for the keyboard's own way.
      getSelection().selectAllChildren(field);
      target.textContent = 'Selected: copy it now';
    }
  };
  return show(
    html`<div class="ask">
      <h2 id="ask-title">${title}</h2>
      <p>${text}</p>
      <p><output class="secret" aria-label="Secret">${plain(secret, 300)}</output></p>
      <p class="bar"><button type="button" class="primary" autofocus @click=${copy}>Copy</button><button type="button" @click=${answer('yes')}>I have it</button></p>
    </div>`,
  );
}

/** Whoever signs out sees nothing of it. */
export const closeAsk = () => dialog.open && dialog.close('no');
