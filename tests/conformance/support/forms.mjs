// The forms that the fixture asks its client to fill in: what each scenario wants to see in
// `requestedSchema`.

const choices = (...words) => words.map((word, i) => ({ const: `value${i + 1}`, title: word }));
const plain = ['option1', 'option2', 'option3'];

export const contact = {
  type: 'object',
  properties: {
    username: { type: 'string', description: 'How to address you' },
    email: { type: 'string', description: 'Where to write to' },
  },
  required: ['username', 'email'],
};

/** SEP-1034: a default for every primitive type. */
export const withDefaults = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Full name', default: 'John Doe' },
    age: { type: 'integer', description: 'Whole years', default: 30 },
    score: { type: 'number', description: 'Points', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Checked by somebody', default: true },
  },
  required: [],
};

/** SEP-1330: one or many of some choices, with titles and without, and the older `enumNames`. */
export const withChoices = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: plain },
    titledSingle: { type: 'string', oneOf: choices('One', 'Two', 'Three') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['The first', 'The second', 'The third'],
    },
    untitledMulti: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string', enum: plain },
    },
    titledMulti: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: { anyOf: choices('One', 'Two', 'Three') },
    },
  },
  required: [],
};

/** SEP-1613 and SEP-2106: what of JSON Schema 2020-12 a tool's input schema may hold. */
export const richSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
