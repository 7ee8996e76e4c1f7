import { html, raw } from 'hono/html'
import type { Field } from './fields.ts'
import { lineFromMarkdown } from './markdown.ts'
import type { Html } from './page.ts'

/** Sentences after each other, each with its full stop. */
const sentences = ({ description, facts }: Field): string =>
  [description, ...(facts.length > 0 ? [`${facts.join('; ')}.`] : [])]
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ')

const hasFields = (field: Field): boolean => field.fields.length > 0

/** Renders the fields within a field; open where there is nothing else to see. */
const within = ({ fields }: Field, root: string, isOpen: boolean): Html =>
  html`<details${raw(isOpen ? ' open' : '')}><summary>${
    fields.length === 1 ? '1 field' : `${fields.length} fields`
  }</summary>${fieldList(fields, root)}</details>`

function item(field: Field, root: string, isOpen: boolean): Html {
  const text = sentences(field)
  return html`<li><code>${field.name}</code> <span class="type">${field.type}</span>${
    field.required ? html` <em>required</em>` : ''
  }${text === '' ? '' : html`<p>${lineFromMarkdown(text, root)}</p>`}${
    hasFields(field) ? within(field, root, isOpen) : ''
  }</li>`
}

/** Fields below each other; what is within one is folded. */
export const fieldList = (fields: readonly Field[], root: string): Html =>
  html`<ul class="fields">${fields.map((field) => item(field, root, field.name === 'data'))}</ul>`

/** The same as a list in Markdown. */
export const fieldsInMarkdown = (fields: readonly Field[], indent = ''): string =>
  fields
    .map((field) => {
      const text = sentences(field)
      const type = `${field.type}${field.required ? ', required' : ''}`
      const line = `${indent}- \`${field.name}\` (${type})${text === '' ? '' : `: ${text}`}`
      return hasFields(field) ? `${line}\n${fieldsInMarkdown(field.fields, `${indent}  `)}` : line
    })
    .join('\n')
