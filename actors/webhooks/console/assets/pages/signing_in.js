// For whoever has no token yet, or none that is good any more.
import { html } from '../vendor/lit-html.js';
import { changed } from '../place.js';
import { state } from '../store.js';
import { plain } from '../text.js';

export function signInPage(take) {
  const paste = (event) => {
    event.preventDefault();
    const field = event.target.elements.token;
    // What people copy: with the word before it, or with line ends in it.
    const token = field.value.replace(/^\s*bearer\s+/i, '').replace(/\s+/g, '');
    field.value = '';
    if (/^[\x21-\x7e]+$/.test(token)) return take(token);
    state.signInNote = 'That is no token: it has other characters than a header may have.';
    return changed();
  };
  return html`<div class="sign-in">
    <h1 tabindex="-1">Sign in</h1>
    <p>This service answers callers with a token of their organization. It is kept for this tab, and ends with it.</p>
    <p class="bad-text" role="status">${plain(state.signInNote, 400)}</p>
    <form @submit=${paste}>
      <label class="field"><span>Token</span><input name="token" type="password" required autocomplete="off" spellcheck="false" /></label>
      <button class="primary">Use this token</button>
    </form>
  </div>`;
}
