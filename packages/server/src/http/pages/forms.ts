import { html, type Content, type Html } from '../../lib/html.ts'

/** Faults of a form, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>

type Field = {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password'
  readonly value?: string
  readonly autocomplete: 'username' | 'name' | 'email' | 'current-password' | 'new-password' | 'one-time-code' | 'off'
  readonly hint?: string
  readonly readonly?: true
  readonly optional?: true
}

/** A labelled field; its hint and its error are read out with it. */
export function field(
  { name, label, type = 'text', value, autocomplete, hint, readonly, optional }: Field,
  errors: FieldErrors = {},
): Html {
  const error = errors[name]
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(
    (id) => id !== false,
  )
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${
    value !== undefined && html` value="${value}"`
  }${
    optional === undefined && html` required`
  }${readonly === true && html` readonly`}${type !== 'text' && html` autocapitalize="none" spellcheck="false"`}${
    error !== undefined && html` aria-invalid="true"${focus(errors, name)}`
  }${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</div>`
}

type TextArea = { readonly name: string; readonly label: string; readonly value: string; readonly hint: string }

/** A labelled field of several lines. */
export function textArea({ name, label, value, hint }: TextArea, errors: FieldErrors): Html {
  const error = errors[name]
  return html`<div class="field">
<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="3" required autocapitalize="none" spellcheck="false"
  aria-describedby="${name}-hint${error !== undefined && ` ${name}-error`}"${
    error !== undefined && html` aria-invalid="true"${focus(errors, name)}`
  }>
${value}</textarea>
<p class="hint" id="${name}-hint">${hint}</p>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</div>`
}

/**
 * Renders values that are shown only once; one click selects a complete value. The button to copy it appears with
 * `copyScript`.
 */
export const shown = (facts: Readonly<Record<string, string>>): Html =>
  html`<dl class="shown">${Object.entries(facts).map(
    ([label, value]) => html`<dt>${label}</dt><dd tabindex="0"><code>${value}</code>
<button type="button" class="second small" data-copy hidden>Copy</button></dd>`,
  )}</dl>`

/** A command to be copied; it breaks where the page ends, and comes out in one line. */
export const command = (text: string): Html => html`<pre class="command" tabindex="0"><code>${text}</code></pre>`

type Option = { readonly value: string; readonly label: string; readonly hint?: string }

type Choice = {
  readonly name: string
  readonly label: string
  readonly options: readonly Option[]
  readonly hint?: string
}

const optionOf = (
  kind: 'radio' | 'checkbox',
  name: string,
  { value, label, hint }: Option,
  isChosen: boolean,
): Html => {
  const sent = kind === 'radio' ? { name, value } : { name: `${name}:${value}`, value: 'on' }
  const input = html`<input type="${kind}" name="${sent.name}" value="${sent.value}"${isChosen && html` checked`}>`
  const more = hint !== undefined && html`<span class="hint">${hint}</span>`
  return html`<label class="option">${input}<span>${label}${more}</span></label>`
}

const group = (
  kind: 'radio' | 'checkbox',
  { name, label, options, hint }: Choice,
  isChosen: (value: string) => boolean,
  errors: FieldErrors,
): Html => {
  const error = errors[name]
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(
    (id) => id !== false,
  )
  return html`<fieldset id="${name}"${error !== undefined && html` tabindex="-1"${focus(errors, name)}`}${
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  }>
<legend>${label}</legend>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
${options.map((option) => optionOf(kind, name, option, isChosen(option.value)))}
</fieldset>`
}

/** One of several. */
export const choice = ({ chosen, ...rest }: Choice & { readonly chosen?: string }, errors: FieldErrors = {}): Html =>
  group('radio', rest, (value) => value === chosen, errors)

/** Any of several, none among them; each is sent as a field of its own, `name:value`. */
export const choices = (
  { chosen, ...rest }: Choice & { readonly chosen: readonly string[] },
  errors: FieldErrors = {},
): Html => group('checkbox', rest, (value) => chosen.includes(value), errors)

/** Which of several were ticked in a form that was sent. */
export const ticked = (form: Readonly<Record<string, string>>, name: string): string[] =>
  Object.keys(form).flatMap((sent) => (sent.startsWith(`${name}:`) ? [sent.slice(name.length + 1)] : []))

type Form = {
  readonly action: string
  readonly csrf: string
  /** Sent along unseen. */
  readonly hidden?: Readonly<Record<string, string>>
}

/** The name of the field that every form proves with that it is ours. */
export const csrfField = '_csrf'

/**
 * A form that is sent by POST. The server says what is wrong, in words that stand beside the field, so the browser does
 * not.
 */
export const form = ({ action, csrf, hidden = {} }: Form, body: Content): Html =>
  html`<form method="post" action="${action}" novalidate>
${Object.entries({ [csrfField]: csrf, ...hidden }).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
)}
${body}
</form>`

/** The first field with a fault is focused, so that it is in view, and its error is read out. */
const focus = (errors: FieldErrors, name: string): Content => Object.keys(errors)[0] === name && html` autofocus`

/** Says above a form that several fields are wrong, with a way to each. A single fault is told at its field only. */
export function errorSummary(errors: FieldErrors): Content {
  const names = Object.keys(errors)
  return (
    names.length > 1 &&
    html`<div class="message bad" role="alert"><strong>${names.length} things need your attention</strong>
<ul>${names.map((name) => html`<li><a href="#${name}">${errors[name]}</a></li>`)}</ul></div>`
  )
}

export const problem = (text: Content): Html => html`<div class="message bad" role="alert">${text}</div>`

export const success = (text: Content): Html => html`<div class="message good" role="status">${text}</div>`
