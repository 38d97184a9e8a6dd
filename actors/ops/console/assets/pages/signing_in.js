// For whoever has no token yet, or none that is good any more.
import { html, nothing } from '../vendor/lit-html.js';
import { beginSignIn } from '../sign_in.js';
import { changed, state } from '../store.js';
import { plain } from '../text.js';

export function signInPage(take) {
  const { hint, signInNote } = state;
  const paste = (event) => {
    event.preventDefault();
    const field = event.target.elements.token;
    // What people copy: with the word before it, or with line ends in it.
    const token = field.value.replace(/^\s*bearer\s+/i, '').replace(/\s+/g, '');
    field.value = '';
    if (/^[\x21-\x7e]+$/.test(token)) take(token);
    else {
      state.signInNote = 'That is no token: it has other characters than a header may have.';
      changed();
    }
  };
  const leave = (event) => {
    event.target.disabled = true;
    beginSignIn().catch((error) => {
      event.target.disabled = false;
      state.signInNote = `Signing in did not work: ${error.message}.`;
      changed();
    });
  };
  return html`<div class="sign-in">
    <h1 tabindex="-1">Sign in</h1>
    <p>
      This gateway answers callers with a
      token${hint?.resource ? html` for <code>${plain(hint.resource, 200)}</code>` : nothing}. It stays in the memory of
      this tab, and ends with it.
    </p>
    <p class="bad-text" role="status">${plain(signInNote, 400)}</p>
    ${
      hint?.oauth
        ? html`<button type="button" class="primary" @click=${leave}>
              Sign in at ${plain(new URL(hint.oauth.issuer).host, 80)}
            </button>
            <p class="or">or</p>`
        : nothing
    }
    <form @submit=${paste}>
      <label class="field"
        ><span>Token</span
        ><input name="token" type="password" required autocomplete="off" spellcheck="false" placeholder="eyJ…"
      /></label>
      <button class=${hint?.oauth ? '' : 'primary'}>Use this token</button>
    </form>
  </div>`;
}
