// The fixture's prompts and resources, and the pieces of content that its tools use too.

export const text = (words) => ({ type: 'text', text: words });

/** A grey picture of one pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';
/** Four samples of silence. */
const wav = 'UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA';

export const image = { type: 'image', data: png, mimeType: 'image/png' };
export const sound = { type: 'audio', data: wav, mimeType: 'audio/wav' };

export const resource = (uri, words, mimeType = 'text/plain') => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

const said = (...contents) => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});
const argument = (name) => ({ name, description: `the argument ${name}`, required: true });

/** `name: { description, arguments?, get(args) }`. */
export const prompts = {
  test_simple_prompt: { description: 'says one thing', get: () => said(text('a plain request')) },
  test_prompt_with_arguments: {
    description: 'repeats its two arguments',
    arguments: [argument('arg1'), argument('arg2')],
    get: ({ arg1, arg2 }) => said(text(`the first is ${arg1}, the second is ${arg2}`)),
  },
  test_prompt_with_embedded_resource: {
    description: 'shows a resource',
    arguments: [argument('resourceUri')],
    get: ({ resourceUri }) => said(resource(resourceUri, 'its text'), text('look at this')),
  },
  test_prompt_with_image: {
    description: 'shows a picture',
    get: () => said(image, text('look at this')),
  },
};

/** `uri: { name, mimeType, text | blob }`; the scheme is the fixture's, so that two differ. */
export const resources = (scheme) => ({
  [`${scheme}://static-text`]: { name: 'text', mimeType: 'text/plain', text: 'always the same' },
  [`${scheme}://static-binary`]: { name: 'binary', mimeType: 'image/png', blob: png },
  [`${scheme}://watched-resource`]: { name: 'watched', mimeType: 'text/plain', text: 'as it was' },
});

export const template = (scheme) => ({
  uriTemplate: `${scheme}://template/{id}/data`,
  name: 'template',
  description: 'data of any id',
  mimeType: 'application/json',
});

/** What the template yields for a URI; undefined if it is none of its. */
export function fromTemplate(scheme, uri) {
  const id = uri.match(`^${scheme}://template/([^/]+)/data$`)?.[1];
  return id && { mimeType: 'application/json', text: JSON.stringify({ id, of: 'the template' }) };
}
